// Takes the pictures of the console that README.md and docs/console.md show, from the demo, into docs/pictures:
//   node scripts/console-pictures.mjs [picture…]
// It wants a Chromium on the PATH, and takes some minutes: the heat map needs traffic to show.
import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { startDemo } from './demo/start-demo.mjs';

const folder = fileURLToPath(new URL('../docs/pictures', import.meta.url));
const trafficMs = 240_000;
const size = { width: 1280, height: 800 };
const account = 'devstoreaccount1';

/** What each picture shows, by its name. `prepare` is done in the page. */
const pictures = [
  { name: 'tables', address: `tables/${account}/Customers` },
  {
    name: 'query',
    address: `query/${account}/Customers?filter=PartitionKey eq 'Dar es Salaam' and IsMember eq true&run=1`,
    prepare: (page) => page.getByRole('tab', { name: 'Plan' }).click(),
  },
  { name: 'heatmap', address: `heatmap/${account}/Events?minutes=5` },
  { name: 'capacity', address: 'capacity', settleMs: 60_000 },
];
const usualSettleMs = 4_000;

const wanted = process.argv.slice(2);
const chosen = pictures.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const demo = await startDemo();
const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
try {
  await wait(trafficMs);
  mkdirSync(folder, { recursive: true });
  for (const picture of chosen) await take(picture);
} finally {
  await browser.close();
  await demo.stop();
}

async function take({ name, address, settleMs = usualSettleMs, prepare }) {
  const context = await browser.newContext({
    viewport: size,
    deviceScaleFactor: 1.5,
    colorScheme: 'light',
    locale: 'en-GB',
  });
  const page = await context.newPage();
  await page.goto(`${demo.url}/_emulator/console#/${address}`);
  await page.locator('h1').waitFor();
  await page.waitForTimeout(settleMs);
  await prepare?.(page);
  await page.waitForTimeout(1_000);
  // WebP, a third of the size of PNG, is what the protocol of the browser offers and the library does not.
  const session = await context.newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 78 });
  const file = join(folder, `${name}.webp`);
  writeFileSync(file, Buffer.from(data, 'base64'));
  console.log(file);
  await context.close();
}

function findChromium() {
  const files = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, 'chromium'));
  const found = files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error('there is no chromium on the PATH');
  return found;
}

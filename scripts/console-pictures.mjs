// Takes the pictures of the console for README.md and the pages in docs. Each picture shows the demo, once in light and
// once in dark colours. The script writes the pictures to docs/pictures.
//   node scripts/console-pictures.mjs [picture…]
// The script needs a Chromium on the PATH. It takes six minutes, because the heat map must have traffic to show.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startDemo } from './demo/start-demo.mjs';
import { openBrowser } from './pictures/open-browser.mjs';

const folder = fileURLToPath(new URL('../docs/pictures', import.meta.url));
const longTrafficMs = 240_000;
const size = { width: 1280, height: 800 };
const account = 'devstoreaccount1';

/**
 * The name of each picture, and what the picture shows. The order matters: if one picture adds a fault rule, all later
 * pictures show the rule. `trafficMs` says how long the demo must run before the picture is taken. `stage` changes the
 * emulator before the page opens. `prepare` acts on the open page.
 */
const pictures = [
  { name: 'tables', address: `tables/${account}/Customers` },
  {
    name: 'query',
    address: `query/${account}/Customers?filter=PartitionKey eq 'Dar es Salaam' and IsMember eq true&run=1`,
    // The second run finds the columns in the cache.
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Run' }).click();
      await page.waitForTimeout(1_000);
      await page.getByRole('tab', { name: 'Plan' }).click();
    },
  },
  { name: 'heatmap', address: `heatmap/${account}/Events?minutes=5`, trafficMs: longTrafficMs },
  { name: 'capacity', address: 'capacity', settleMs: 60_000, trafficMs: longTrafficMs },
  { name: 'advisor', address: 'advisor', trafficMs: longTrafficMs },
  {
    name: 'trace',
    address: 'traffic?group=trace',
    settleMs: 10_000,
    prepare: (page) => page.locator('main tbody tr').nth(1).getByRole('link').first().click(),
  },
  {
    name: 'faults',
    address: 'faults',
    settleMs: 12_000,
    prepare: (page) => page.getByRole('region', { name: 'Faults', exact: true }).evaluate(scrollToTop),
    stage: async ({ faults }) => {
      await faults.add({
        name: 'timeout-after-commit',
        match: { operation: 'InsertEntity', table: 'Events' },
        when: { every: 9 },
        fault: { kind: 'timeout', at: 'afterCommit' },
      });
      await faults.add({
        name: 'busy',
        match: { table: 'Products' },
        when: { probability: 0.2 },
        fault: { kind: 'error', code: 'ServerBusy', retryAfterSeconds: 1 },
      });
    },
  },
];
const usualSettleMs = 4_000;

const wanted = process.argv.slice(2);
const chosen = pictures.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const demo = await startDemo();
const browser = await openBrowser();
try {
  await wait(Math.max(0, ...chosen.map(({ trafficMs = 0 }) => trafficMs)));
  mkdirSync(folder, { recursive: true });
  for (const picture of chosen) await take(picture);
} finally {
  await browser.close();
  await demo.stop();
}

/** This function runs in the page. */
function scrollToTop(element) {
  const main = element.closest('main');
  main.scrollTop += element.getBoundingClientRect().top - main.getBoundingClientRect().top - 16;
}

async function take({ name, address, settleMs = usualSettleMs, stage, prepare }) {
  await stage?.(demo.emulator);
  const context = await browser.newContext({ viewport: size, deviceScaleFactor: 1.5, locale: 'en-GB' });
  const page = await context.newPage();
  await page.goto(`${demo.url}/_emulator/console#/${address}`);
  await page.locator('h1').waitFor();
  await page.waitForTimeout(settleMs);
  await prepare?.(page);
  // Use the browser's protocol to take WebP pictures, which are a third of the size of PNG pictures. Playwright's own
  // method for screenshots cannot make WebP pictures.
  const session = await context.newCDPSession(page);
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(1_500);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 78 });
    const file = join(folder, `${name}${colorScheme === 'dark' ? '-dark' : ''}.webp`);
    writeFileSync(file, Buffer.from(data, 'base64'));
    console.log(file);
  }
  await context.close();
}

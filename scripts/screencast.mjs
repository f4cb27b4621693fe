// Records the demo for the screencast in docs/console.md, and writes docs/pictures/screencast.webp. The screencast
// shows a query with its plan, the heat map, and a fault that affects the programs of the demo.
//   node scripts/screencast.mjs [seconds of traffic before the recording]
// The script needs a Chromium on the PATH. The script sets how long the screencast shows each screenshot, and does not
// measure time. Therefore, a slow machine records the same screencast as a fast machine.
import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startDemo } from './demo/start-demo.mjs';
import { makeAnimation } from './pictures/animated-webp.mjs';
import { openBrowser } from './pictures/open-browser.mjs';

const file = fileURLToPath(new URL('../docs/pictures/screencast.webp', import.meta.url));
const size = { width: 1024, height: 640 };
const typedTogether = 2;
const typingMs = 110;
const liveFrameMs = 500;
const quality = 0.6;
const trafficSeconds = Number(process.argv[2] ?? 300);

const demo = await startDemo();
const browser = await openBrowser();
try {
  await wait(trafficSeconds * 1_000);
  const context = await browser.newContext({ viewport: size, colorScheme: 'light', locale: 'en-GB' });
  const page = await context.newPage();
  const scenes = await playScenes(page);
  const animation = await makeAnimation(await context.newPage(), { ...scenes, quality });
  writeFileSync(file, animation);
  console.log(`${file}: ${scenes.endMs / 1_000} s, ${animation.length} bytes`);
} finally {
  await browser.close();
  await demo.stop();
}

/** Draws a mouse pointer, which screenshots do not contain. */
async function showPointer(page) {
  await page.evaluate(() => {
    const pointer = document.createElement('div');
    const look = { position: 'fixed', width: '14px', height: '14px', borderRadius: '50%', zIndex: 99999 };
    Object.assign(pointer.style, look, { background: 'rgb(220 60 60 / 70%)', pointerEvents: 'none', left: '-50px' });
    document.body.append(pointer);
    document.addEventListener(
      'mousemove',
      ({ clientX, clientY }) => Object.assign(pointer.style, { left: `${clientX - 7}px`, top: `${clientY - 7}px` }),
      true,
    );
  });
}

/** Runs in the page. Finds a place with much load in the right half of the heat map. */
function findBright(canvas) {
  const column = Math.floor(canvas.width * 0.6);
  const { data } = canvas.getContext('2d').getImageData(column, 0, 1, canvas.height);
  const yellowAt = (row) => data[4 * row] + data[4 * row + 1] - data[4 * row + 2];
  const rows = Array.from({ length: canvas.height }, (_, row) => row);
  const row = rows.reduce((best, one) => (yellowAt(one) > yellowAt(best) ? one : best));
  const ratio = canvas.width / canvas.clientWidth;
  return { x: column / ratio, y: (row + 1) / ratio };
}

/** Returns the screenshots, each with the time at which it appears, and the time at which the last one ends. */
async function playScenes(page) {
  const shots = [];
  let endMs = 0;
  const show = async (ms) => {
    shots.push({ atMs: endMs, png: await page.screenshot({ caret: 'initial', animations: 'allow' }) });
    endMs += ms;
  };
  /** Takes screenshots repeatedly, while the page changes by itself. */
  const watch = async (ms) => {
    for (let shown = 0; shown < ms; shown += liveFrameMs) {
      await wait(liveFrameMs);
      await show(liveFrameMs);
    }
  };
  const click = async (target) => {
    const { x, y, width, height } = await target.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await show(500);
    await target.click();
  };
  const open = (name) => click(page.getByRole('link', { name, exact: true }));
  const type = async (text) => {
    for (let at = 0; at < text.length; at += typedTogether) {
      await page.keyboard.type(text.slice(at, at + typedTogether));
      await wait(typingMs);
      await show(typingMs);
    }
  };

  await page.goto(`${demo.url}/_emulator/console#/query/devstoreaccount1/Customers`);
  await page.getByRole('textbox', { name: 'Filter' }).waitFor();
  await showPointer(page);
  await show(600);
  await click(page.getByRole('textbox', { name: 'Filter' }));
  await type("PartitionKey eq 'Osaka' and Points gt 50000000");
  await page.keyboard.press('Escape');
  await click(page.getByRole('button', { name: 'Run' }));
  await page.locator('.run-summary').getByText('partition scan').waitFor();
  await show(1_200);
  await click(page.getByRole('tab', { name: 'Plan' }));
  await show(3_000);

  await open('Heat map');
  await page.locator('.heat-map canvas').waitFor();
  await page.locator('main select').nth(0).selectOption('Events');
  await page.locator('main select').nth(1).selectOption('5');
  await wait(1_500);
  await show(1_500);
  const canvas = page.locator('.heat-map canvas');
  const { x, y } = await canvas.boundingBox();
  const bright = await canvas.evaluate(findBright);
  await page.mouse.move(x + bright.x, y + bright.y);
  await wait(500);
  await show(2_500);

  await open('Faults and clock');
  await page.getByRole('button', { name: 'Add slow' }).waitFor();
  await show(800);
  await page.getByRole('button', { name: 'Add slow' }).scrollIntoViewIfNeeded();
  await click(page.getByRole('button', { name: 'Add slow' }));
  await page.getByText('Fault slow is in force').waitFor();
  await show(1_500);
  await open('Traffic');
  await watch(4_000);
  return { shots, endMs };
}

// Makes an animated WebP from screenshots. Each screenshot is a PNG with the time at which the animation shows it. A
// frame contains only the rectangle that differs from the previous screenshot. A page in Chromium compares and encodes
// the screenshots. This file writes the container format, which Google's "WebP Container Specification" describes in
// the sections Extended File Format and Animation.

/** `page` is any page of a browser. Its content is replaced. */
export async function makeAnimation(page, { shots, endMs, quality }) {
  await page.setContent('<title>frames</title>');
  const { width, height } = await page.evaluate(prepareInPage, shots[0].png.toString('base64'));
  const frames = [];
  for (const { png, atMs } of shots) {
    const changed = await page.evaluate(encodeInPage, { png: png.toString('base64'), quality });
    if (changed) frames.push({ ...changed, atMs, image: Buffer.from(changed.image, 'base64') });
  }
  const timed = frames.map((frame, at) => ({ ...frame, durationMs: (frames[at + 1]?.atMs ?? endMs) - frame.atMs }));
  return renderContainer({ width, height, frames: timed });
}

/** Runs in the page. Makes a canvas for the previous frame, which is empty at first. */
async function prepareInPage(png) {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  window.shown = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d', { willReadFrequently: true });
  return { width: bitmap.width, height: bitmap.height };
}

/**
 * Runs in the page. Returns the rectangle that differs from the previous screenshot, as WebP. Returns undefined if
 * nothing differs. The offsets of the rectangle are even, because WebP requires even offsets.
 */
async function encodeInPage({ png, quality }) {
  const { shown } = window;
  const { width, height } = shown.canvas;
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const before = new Uint32Array(shown.getImageData(0, 0, width, height).data.buffer);
  shown.drawImage(bitmap, 0, 0);
  const after = new Uint32Array(shown.getImageData(0, 0, width, height).data.buffer);
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let at = 0; at < after.length; at++) {
    if (after[at] === before[at]) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
  }
  if (right < 0) return undefined;
  [left, top] = [left - (left % 2), top - (top % 2)];
  const part = new OffscreenCanvas(right - left + 1, bottom - top + 1);
  // An opaque canvas, so that the image needs no data for transparency.
  part.getContext('2d', { alpha: false }).drawImage(bitmap, -left, -top);
  const bytes = new Uint8Array(await (await part.convertToBlob({ type: 'image/webp', quality })).arrayBuffer());
  return { left, top, width: part.width, height: part.height, image: bytes.toBase64() };
}

function renderContainer({ width, height, frames }) {
  const animated = 0x02;
  const extended = chunk(
    'VP8X',
    Buffer.concat([Buffer.from([animated, 0, 0, 0]), int24(width - 1), int24(height - 1)]),
  );
  // The background is opaque, and the animation repeats forever.
  const animation = chunk('ANIM', Buffer.from([255, 255, 255, 255, 0, 0]));
  const body = Buffer.concat([Buffer.from('WEBP'), extended, animation, ...frames.map(renderFrame)]);
  return chunk('RIFF', body);
}

function renderFrame({ left, top, width, height, durationMs, image }) {
  const overwrites = 0x02;
  const head = [int24(left / 2), int24(top / 2), int24(width - 1), int24(height - 1), int24(Math.round(durationMs))];
  return chunk('ANMF', Buffer.concat([...head, Buffer.from([overwrites]), bitstreamOf(image)]));
}

/** The chunks with the pixels of a still image, without its header. */
function bitstreamOf(image) {
  const kept = [];
  for (let at = 12; at < image.length; ) {
    const length = 8 + image.readUInt32LE(at + 4);
    const end = at + length + (length % 2);
    if (/^(VP8 |VP8L|ALPH)$/.test(image.toString('latin1', at, at + 4))) kept.push(image.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

function chunk(name, payload) {
  const head = Buffer.from(`${name}    `, 'latin1');
  head.writeUInt32LE(payload.length, 4);
  return Buffer.concat([head, payload, Buffer.alloc(payload.length % 2)]);
}

function int24(value) {
  return Buffer.from([value & 255, (value >> 8) & 255, (value >> 16) & 255]);
}

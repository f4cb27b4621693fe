// Converts Edm.Binary values between bytes and text, in Node and in browsers. Of all files that browsers load, this is
// the only one that checks whether `Buffer` exists.

const hasBuffer = typeof Buffer !== 'undefined';

/** The text must be base64. */
export function bytesFromBase64(text: string): Uint8Array {
  return hasBuffer ? Buffer.from(text, 'base64') : Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/** The text must be pairs of hexadecimal digits. */
export function bytesFromHex(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length >> 1 }, (_, at) => Number.parseInt(text.slice(2 * at, 2 * at + 2), 16));
}

export function base64Of(bytes: Uint8Array): string {
  return hasBuffer ? bufferOf(bytes).toString('base64') : btoa(latin1Of(bytes));
}

/** The digits are in lower case. */
export function hexOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}

/** One character for each byte, so the texts sort as the bytes do. */
export function latin1Of(bytes: Uint8Array): string {
  if (hasBuffer) return bufferOf(bytes).toString('latin1');
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

const bufferOf = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

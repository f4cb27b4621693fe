// Binary values as base64, in which they are kept, and as hexadecimal digits.

export function hexOf(base64: string): string {
  const bytes = atob(base64);
  return Array.from(bytes, (char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

/** Undefined if the text holds other than pairs of digits and blanks. */
export function base64OfHex(text: string): string | undefined {
  const digits = text.replaceAll(/\s/g, '');
  if (!/^(?:[0-9a-f]{2})*$/i.test(digits)) return undefined;
  const bytes = (digits.match(/../g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16)));
  return btoa(bytes.join(''));
}

export const isBase64 = (text: string): boolean => {
  try {
    atob(text);
    return true;
  } catch {
    return false;
  }
};

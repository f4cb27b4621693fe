const tokenPattern = /^[\x21-\x7e]{16,1024}$/;

/** Checks a token for the control plane. Throws an Error that says what is wrong and never repeats the token. */
export function parseControlToken(text: string): string {
  if (!tokenPattern.test(text)) throw new Error('is 16 to 1024 characters of visible ASCII, without spaces');
  return text;
}

import { createSecretKey, type KeyObject } from 'node:crypto';
import { quote } from '../model/printable-text.ts';
import { isSignedBy } from './shared-key.ts';

/** A text that a client may have signed by mistake. */
export interface Variant {
  /** Completes "The signature fits if …". */
  readonly mistake: string;
  readonly text: string;
}

export interface UnfitSignature {
  readonly expected: string;
  readonly variants: () => readonly Variant[];
  readonly keys: readonly KeyObject[];
  readonly signature: string;
}

/**
 * Texts longer than this limit are not searched for mistakes, because a search signs a hundred texts for a caller who
 * is not authenticated yet.
 */
const textCharsMax = 2_048;

/**
 * Says which text the client must sign. Also says which text the client did sign, if this text can be found. The result
 * contains neither a key nor a signature.
 */
export function explainSignature({ expected, variants, keys, signature }: UnfitSignature): string[] {
  const toSign = `The text to sign is ${quote(expected)}.`;
  if (expected.length > textCharsMax) {
    return [
      'The signature was made with another key or from another text.',
      `Only texts of up to ${textCharsMax} characters are searched for mistakes.`,
      toSign,
    ];
  }
  const signed = variants().find(({ text }) => text.length <= textCharsMax && isSignedBy(keys, text, signature));
  if (signed) {
    return [
      `The signature fits if ${signed.mistake}: ${quote(signed.text)}.`,
      toSign,
      firstDifference(expected, signed.text),
    ];
  }
  if (isSignedBy(keys.map(asText), expected, signature)) {
    return ['The signature fits if the key is used as text: decode it from base64 first.', toSign];
  }
  return ['The signature was made with another key or from another text.', toSign];
}

/** The key of a client that forgets to decode it. */
function asText(key: KeyObject): KeyObject {
  return createSecretKey(Buffer.from(key.export().toString('base64')));
}

const contextChars = 24;

function firstDifference(expected: string, signed: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === signed[at]) at++;
  const excerpt = (text: string): string =>
    at < text.length ? JSON.stringify(text.slice(at, at + contextChars)) : 'the end';
  return `First difference at character ${at + 1}: expected ${excerpt(expected)}, signed ${excerpt(signed)}.`;
}

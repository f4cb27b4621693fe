// Binary values as base64, in which they are kept, and as hexadecimal digits.

import { base64Of, bytesFromHex, hexOf } from '../../../model/binary.ts';
import { edmOf } from '../../client/edm.ts';

/** Empty for a text that is not base64. */
export function hexOfBase64(base64: string): string {
  const edm = edmOf({ type: 'Edm.Binary', text: base64 });
  return edm?.type === 'Edm.Binary' ? hexOf(edm.value) : '';
}

/** Undefined if the text holds anything other than pairs of digits and blanks. */
export function base64OfHex(text: string): string | undefined {
  const digits = text.replaceAll(/\s/g, '');
  return /^(?:[0-9a-f]{2})*$/i.test(digits) ? base64Of(bytesFromHex(digits)) : undefined;
}

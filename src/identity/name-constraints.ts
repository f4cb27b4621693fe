// The extension that limits an authority to names. Evidence: documented (RFC 5280, 4.2.1.10).

import { isIPv4 } from 'node:net';
import type { CertificateNames } from './certificate-names.ts';

export const nameConstraintsId = '2.5.29.30';

/** The extension as DER. A host permits itself and all names below it. Loopback addresses are always permitted. */
export function encodeNameConstraints({ hosts, addresses }: CertificateNames): Buffer {
  const subtrees = [
    ...hosts.map((host) => tagged(dnsName, Buffer.from(host, 'latin1'))),
    tagged(ipAddress, Buffer.from([127, 0, 0, 0, 255, 0, 0, 0])),
    ...['::1', ...addresses].map((address) => tagged(ipAddress, withFullMask(bytesOf(address)))),
  ].map((name) => tagged(sequence, name));
  return tagged(sequence, tagged(permittedSubtrees, Buffer.concat(subtrees)));
}

const sequence = 0x30;
const permittedSubtrees = 0xa0;
const dnsName = 0x82;
const ipAddress = 0x87;

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const lengthBytes = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}

/** A single address is a subtree whose mask has all bits set. */
const withFullMask = (address: Buffer): Buffer => Buffer.concat([address, Buffer.alloc(address.length, 0xff)]);

/** IPv6 addresses must not have decimal parts, as in `readName`. */
function bytesOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [left = [], right = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

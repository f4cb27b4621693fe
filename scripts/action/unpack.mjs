// Reads one file of an archive of a release. The archive is a tar.gz, or a zip for Windows.
import { gunzipSync, inflateRawSync } from 'node:zlib';

const blockBytes = 512;

/** The contents of the file. Throws if the archive is damaged or does not contain the file. */
export function unpack(archive, { name, isZip }) {
  const contents = isZip ? findInZip(archive, name) : findInTar(gunzipSync(archive), name);
  if (contents === undefined) throw new Error(`it has no ${name}`);
  return contents;
}

function findInTar(tar, wanted) {
  for (let at = 0; at + blockBytes <= tar.length && tar[at] !== 0; ) {
    const text = (from, to) => tar.toString('latin1', at + from, at + to).replace(/\0.*$/s, '');
    const bytes = Number.parseInt(text(124, 136), 8);
    const from = at + blockBytes;
    if (!(bytes >= 0) || from + bytes > tar.length) throw new Error('it ends early');
    if (text(0, 100) === wanted) return tar.subarray(from, from + bytes);
    at = from + Math.ceil(bytes / blockBytes) * blockBytes;
  }
  return undefined;
}

function findInZip(zip, wanted) {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end === -1) throw new Error('it ends early');
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [nameBytes, extraBytes, noteBytes] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const name = zip.toString('utf8', at + 46, at + 46 + nameBytes);
    if (name === wanted) return inflateEntry(zip, at);
    at += 46 + nameBytes + extraBytes + noteBytes;
  }
  return undefined;
}

function inflateEntry(zip, central) {
  const [method, bytes, local] = [
    zip.readUInt16LE(central + 10),
    zip.readUInt32LE(central + 20),
    zip.readUInt32LE(central + 42),
  ];
  const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const packed = zip.subarray(from, from + bytes);
  return method === 0 ? packed : inflateRawSync(packed);
}

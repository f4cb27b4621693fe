// Makes archives of a few files. The archives contain no times and no users, so that their bytes are the same on each
// machine.
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

const blockBytes = 512;
/** The earliest date that a zip file can represent. */
const firstDay = 0x21;

/** `files`: `{ name, contents, isProgram }`. The format is ustar. */
export function tarGz(files) {
  const blocks = files.flatMap(({ name, contents, isProgram }) => [
    tarHeader(name, contents.length, isProgram ? 0o755 : 0o644),
    contents,
    Buffer.alloc((blockBytes - (contents.length % blockBytes)) % blockBytes),
  ]);
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]), { level: 9 });
}

function tarHeader(name, bytes, mode) {
  const header = Buffer.alloc(blockBytes);
  const octal = (value, digits) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(name, 0, 100);
  header.write(octal(mode, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(bytes, 11), 124);
  header.write(octal(0, 11), 136);
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)} `, 148);
  return header;
}

export function zip(files) {
  const entries = [];
  let offset = 0;
  for (const { name, contents } of files) {
    const deflated = deflateRawSync(contents, { level: 9 });
    const shared = zipFields(name, contents, deflated.length);
    const local = Buffer.concat([signed(0x04034b50), shared, Buffer.from(name), deflated]);
    entries.push({ name, local, central: centralEntry(shared, offset, name) });
    offset += local.length;
  }
  const central = Buffer.concat(entries.map((entry) => entry.central));
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...entries.map(({ local }) => local), central, signed(0x06054b50), end]);
}

function signed(number) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}

/** The fields that a file's own header and its entry in the list at the end have in common. */
function zipFields(name, contents, deflatedBytes) {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(8, 4);
  fields.writeUInt16LE(firstDay, 8);
  fields.writeUInt32LE(crc32(contents), 10);
  fields.writeUInt32LE(deflatedBytes, 14);
  fields.writeUInt32LE(contents.length, 18);
  fields.writeUInt16LE(Buffer.byteLength(name), 22);
  return fields;
}

function centralEntry(shared, offset, name) {
  const madeBy = Buffer.from([20, 0]);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([signed(0x02014b50), madeBy, shared, rest, Buffer.from(name)]);
}

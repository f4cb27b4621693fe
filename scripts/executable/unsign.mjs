// Removes the signature of a Windows program. The signature becomes invalid when the package is added to the program,
// and virus scanners report programs with invalid signatures.

const signatureTable = 4;

/**
 * Returns the program without its signature. The signature is at the end of the file (Microsoft, PE Format: the
 * attribute certificate table).
 */
export function unsign(program) {
  const entry = entryOf(program);
  const [at, bytes] = [program.readUInt32LE(entry), program.readUInt32LE(entry + 4)];
  if (at === 0) return program;
  if (at + bytes !== program.length) throw new Error('the signature is not at the end of the program');
  const unsigned = Buffer.from(program.subarray(0, at));
  unsigned.fill(0, entry, entry + 8);
  return unsigned;
}

function entryOf(program) {
  const header = program.readUInt32LE(0x3c);
  if (program.toString('latin1', header, header + 4) !== 'PE\0\0') throw new Error('this is not a program for Windows');
  // The PE signature takes 4 bytes, and the COFF header takes 20 bytes. In a 64-bit program, the data directories begin
  // 112 bytes after the COFF header, and each takes 8 bytes.
  return header + 24 + 112 + 8 * signatureTable;
}

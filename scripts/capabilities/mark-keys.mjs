/**
 * Returns a key for each mark. A key consists of the file name and the name of the declaration. If a declaration has
 * several marks, the keys of all marks after the first also contain a number. A key stays the same when lines move.
 */
export function keysOf(marks) {
  const seen = new Map();
  return marks.map(({ file, name }) => {
    const key = `${file}#${name}`;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? key : `${key}#${count}`;
  });
}

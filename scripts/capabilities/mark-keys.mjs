/**
 * The keys of marks. A key consists of the names of the file and the declaration. If a declaration has several marks,
 * the keys from the second mark on also contain a number. A key stays the same when lines move.
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

/**
 * Keys that stay the same when lines move: file and declaration. Further marks of one declaration also have a number.
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

/** Flags that people try, with other programs in mind; the nearest by its letters would be a wrong one. */
const rightFlags: Readonly<Record<string, string>> = {
  '-p': '--tablePort',
  '--port': '--tablePort',
  '--host': '--tableHost',
  '--in-memory': '--inMemoryPersistence',
  '--inMemory': '--inMemoryPersistence',
  '--memory': '--inMemoryPersistence',
  '--in-memory-persistence': '--inMemoryPersistence',
  '--db': '--location',
  '--data': '--location',
};

/** Puts the right flag into what commander says of an unknown one; any other complaint stays as it is. */
export function nameRightFlag(complaint: string): string {
  const wrong = /^error: unknown option '(-[^'=]+)/.exec(complaint)?.[1] ?? '';
  if (!Object.hasOwn(rightFlags, wrong)) return complaint;
  return `error: unknown option '${wrong}'\n(Did you mean ${rightFlags[wrong]}?)\n`;
}

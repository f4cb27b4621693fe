interface Choice<T> {
  readonly isIdle: (value: T) => boolean;
  /** How many are looked at. */
  readonly lookedAt: number;
}

/** Makes room: forgets the first that is idle. Those in use that are met before it go to the end. */
export function forgetOne<T>(map: Map<string, T>, { isIdle, lookedAt }: Choice<T>): T | undefined {
  let turn = 0;
  for (const [name, value] of map) {
    turn++;
    map.delete(name);
    if (turn >= lookedAt || isIdle(value)) return value;
    map.set(name, value);
  }
  return undefined;
}

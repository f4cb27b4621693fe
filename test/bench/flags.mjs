// The flags that every bench here understands, each with its default.
import { parseArgs } from 'node:util';

export function readFlags() {
  const { values } = parseArgs({
    options: {
      entities: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '7' },
      sliceMs: { type: 'string', default: '2000' },
      connections: { type: 'string', default: '16' },
      starts: { type: 'string', default: '15' },
    },
  });
  return Object.fromEntries(
    Object.entries(values).map(([name, text]) => {
      const number = Number(text);
      if (!Number.isInteger(number) || number < 1)
        throw new Error(`--${name} wants a whole number above 0, not ${text}`);
      return [name, number];
    }),
  );
}

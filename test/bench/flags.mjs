// The flags that every bench here understands, each with its default.
import { parseArgs } from 'node:util';

const serverNames = ['tanzanite', 'ceiling', 'azurite'];

export function readFlags() {
  const { values } = parseArgs({
    options: {
      entities: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '7' },
      sliceMs: { type: 'string', default: '2000' },
      connections: { type: 'string', default: '16' },
      starts: { type: 'string', default: '15' },
      batchEntities: { type: 'string', default: '20000' },
      queryEntities: { type: 'string', default: '40000' },
      scanEntities: { type: 'string', default: '200000' },
      scanSliceMs: { type: 'string', default: '4000' },
      scanRounds: { type: 'string', default: '5' },
      bystanderEntities: { type: 'string', default: '200000' },
      phaseMs: { type: 'string', default: '10000' },
      servers: { type: 'string', default: 'tanzanite,ceiling,azurite' },
    },
  });
  const { servers, ...sizes } = values;
  return { ...readNumbers(sizes), servers: readServers(servers) };
}

function readServers(text) {
  const names = text.split(',');
  if (!names.every((name) => serverNames.includes(name)))
    throw new Error(`--servers wants some of ${serverNames.join(',')}, not ${text}`);
  return names;
}

function readNumbers(values) {
  return Object.fromEntries(
    Object.entries(values).map(([name, text]) => {
      const number = Number(text);
      if (!Number.isInteger(number) || number < 1)
        throw new Error(`--${name} wants a whole number above 0, not ${text}`);
      return [name, number];
    }),
  );
}

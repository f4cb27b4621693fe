// The flags of programs that compare two servers on one row, as compareServers takes them.
import { parseArgs } from 'node:util';
import { findGenerator } from './load.mjs';
import { findRow } from './rows.mjs';

export function readCompareFlags() {
  const { values: flags } = parseArgs({
    options: {
      row: { type: 'string', default: 'point-read' },
      entities: { type: 'string', default: '20000' },
      pairs: { type: 'string', default: '20' },
      seconds: { type: 'string', default: '2' },
    },
  });
  const generator = findGenerator();
  if (!generator) throw new Error('install wrk, or run npm ci in test/bench for autocannon');
  return {
    row: findRow(flags.row),
    generator: generator.name,
    entities: Number(flags.entities),
    pairs: Number(flags.pairs),
    seconds: Number(flags.seconds),
  };
}

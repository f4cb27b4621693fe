// Reads the flags of programs that compare two servers on one row with compareServers.
import { parseArgs } from 'node:util';
import { findGenerator } from './load.mjs';
import { findRow } from './rows.mjs';

export function readCompareFlags({ pairs = 20, seconds = 2 } = {}) {
  const { values: flags } = parseArgs({
    options: {
      row: { type: 'string', default: 'point-read' },
      entities: { type: 'string', default: '20000' },
      pairs: { type: 'string', default: String(pairs) },
      seconds: { type: 'string', default: String(seconds) },
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

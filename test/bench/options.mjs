// Reads the flags of the bench.
import { parseArgs } from 'node:util';
import { rows, sizes } from './rows.mjs';

// Measurements without the load generator, by the names that --row accepts.
export const otherRows = ['start', 'library', 'executable', 'memory', 'bystander'];

const full = {
  rounds: 10,
  seconds: 2,
  azuriteSeconds: 1,
  sizes,
  starts: 11,
  writes: 40_000,
  bystander: { entities: 1_000_000, pairs: 4, seconds: 5 },
};
const quick = {
  rounds: 1,
  seconds: 1,
  azuriteSeconds: 1,
  sizes: [2_000],
  starts: 2,
  writes: 2_000,
  bystander: { entities: 20_000, pairs: 1, seconds: 2 },
};

export function readOptions() {
  const { values } = parseArgs({
    options: {
      row: { type: 'string', multiple: true },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      entities: { type: 'string', multiple: true },
      write: { type: 'boolean', default: false },
      json: { type: 'string' },
      generator: { type: 'string' },
    },
  });
  const names = [...rows.map(({ name }) => name), ...otherRows];
  const unknown = values.row?.find((name) => !names.includes(name));
  if (unknown) throw new Error(`no row is named ${unknown}; there are ${names.join(', ')}`);
  const defaults = values.quick ? quick : full;
  return {
    ...defaults,
    isQuick: values.quick,
    isWritten: values.write,
    jsonFile: values.json,
    generator: values.generator,
    rounds: readCount(values.rounds, defaults.rounds),
    seconds: readCount(values.seconds, defaults.seconds),
    sizes: values.entities?.map((text) => readCount(text)) ?? defaults.sizes,
    wants: (name) => !values.row || values.row.includes(name),
  };
}

function readCount(text, otherwise) {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${text} is not a whole number above 0`);
  return number;
}

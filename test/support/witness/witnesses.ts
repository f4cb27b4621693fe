// One witness for each description, made on first use.

import { readDescription } from './description.ts';
import { Witness, type WitnessedAnswer } from './witness.ts';

let table: Witness | undefined;
let control: Witness | undefined;

export function tableWitness(): Witness {
  table ??= new Witness(readDescription('table-service'));
  return table;
}

function controlWitness(): Witness {
  control ??= new Witness(readDescription('control-plane'));
  return control;
}

/** Checks a response against the description of the API below this request target, which includes the account. */
export function witnessAt(method: string, target: string, answer: WitnessedAnswer): void {
  if (/^\/_emulator(?:[/?]|$)/.test(target)) controlWitness().see({ method, path: target }, answer);
  else tableWitness().see({ method, path: target.replace(/^\/[^/?]*/, '') }, answer);
}

// The one witness of each description that the tests of a file share, made when it is first asked.

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

/** Holds an answer against the description of whoever answers below this request target, account and all. */
export function witnessAt(method: string, target: string, answer: WitnessedAnswer): void {
  if (/^\/_emulator(?:[/?]|$)/.test(target)) controlWitness().see({ method, path: target }, answer);
  else tableWitness().see({ method, path: target.replace(/^\/[^/?]*/, '') }, answer);
}

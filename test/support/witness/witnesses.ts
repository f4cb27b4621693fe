// One witness for each OpenAPI description. It is made when it is first used.

import { identityAddress } from '../../../src/http/control-plane-route.ts';
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

/**
 * Checks a response against the description of an API. `target`, the request target including the account, determines
 * the API.
 */
export function witnessAt(method: string, target: string, answer: WitnessedAnswer): void {
  // The token issuer also answers at the root.
  const path = identityAddress(target) ?? target;
  if (/^\/_emulator(?:[/?]|$)/.test(path)) controlWitness().see({ method, path }, answer);
  else tableWitness().see({ method, path: target.replace(/^\/[^/?]*/, '') }, answer);
}

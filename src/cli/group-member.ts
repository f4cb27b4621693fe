// Runs a server of a ServerGroup: `group-member.js <program> <words>`. The program ends when the group has ended, even by a kill.

import { pathToFileURL } from 'node:url';
import { afterInBackground } from '../model/time.ts';
import { endWithInput } from './end-with-input.ts';

// The program finds its own name and words, as if Node had been called with them.
const [, , program = ''] = process.argv;
process.argv.splice(1, 1);
endWithInput(process, afterInBackground);
await import(pathToFileURL(program).href);

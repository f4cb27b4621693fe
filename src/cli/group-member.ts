// Runs a server of a ServerGroup: `group-member.js <program> <words>`. The program ends when the group ends, even if
// the group is killed.

import { pathToFileURL } from 'node:url';
import { afterInBackground } from '../model/time.ts';
import { endWithInput } from './end-with-input.ts';

// The program finds its own name and words in process.argv, as if Node had been called with them.
const [, , program = ''] = process.argv;
process.argv.splice(1, 1);
endWithInput(process, afterInBackground);
await import(pathToFileURL(program).href);

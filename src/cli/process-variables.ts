// Variables that tell a process how it was started. The executable reads them before it has unpacked the rest.

import type { Environment } from './command-context.ts';

/** Set in the images: where their volume is. The entry (src/image) then takes the place of the command line. */
export const imageVariable = 'TANZANITE_IMAGE';

/** The volume of the image; undefined outside it. There a workflow may keep the name of an image in that variable. */
export function volumeIn({ [imageVariable]: volume }: Environment): string | undefined {
  return volume?.startsWith('/') ? volume : undefined;
}

/**
 * Tells a process that its command line names a program to run, with the program's words. Node needs no variable for this.
 * The single executable would otherwise read the words as its own (src/executable).
 */
export const runsProgram = 'TANZANITE_RUN_PROGRAM';

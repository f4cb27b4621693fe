// Variables that tell a process how it was started. The executable reads them before it has unpacked the rest.

import type { Environment } from './command-context.ts';

/**
 * The images set this variable to the path of their volume. The executable in an image then runs src/image in place of
 * the command line.
 */
export const imageVariable = 'TANZANITE_IMAGE';

/** The volume of the image; undefined elsewhere. There, a workflow may use the variable for the name of an image. */
export function volumeIn({ [imageVariable]: volume }: Environment): string | undefined {
  return volume?.startsWith('/') ? volume : undefined;
}

/**
 * Tells a process that its command line names a program to run, with the program's words. Node needs no variable for this.
 * The single executable would otherwise read the words as its own (src/executable).
 */
export const runsProgram = 'TANZANITE_RUN_PROGRAM';

// Variables that tell a process how it was started. The executable reads them before it has unpacked the rest.

import type { Environment } from './command-context.ts';

/**
 * The images set this variable to the path of their volume. The executable in an image then runs src/image in place of
 * the command line.
 */
export const imageVariable = 'TANZANITE_IMAGE';

/**
 * The volume of the image. Undefined outside the image, where a workflow may keep the name of an image in this
 * variable.
 */
export function volumeIn({ [imageVariable]: volume }: Environment): string | undefined {
  return volume?.startsWith('/') ? volume : undefined;
}

/**
 * If this variable is set, the command line of the process names a program to run, followed by the program's words.
 * Node needs no such variable. The single executable needs it, and would otherwise read the words as its own
 * (src/executable).
 */
export const runsProgram = 'TANZANITE_RUN_PROGRAM';

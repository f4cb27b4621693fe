// Variables that tell a process how it was started. The executable reads them before it has unpacked the rest.

import type { Environment } from './command-context.ts';

/**
 * The images set this variable to the path of their volume. The executable in an image then runs src/image in place of
 * the command line.
 */
export const imageVariable = 'TANZANITE_IMAGE';

/**
 * Returns the volume of the image. Returns undefined outside the image, where a workflow may use this variable for the
 * name of an image.
 */
export function volumeIn({ [imageVariable]: volume }: Environment): string | undefined {
  return volume?.startsWith('/') ? volume : undefined;
}

/**
 * If this variable is set, the command line of the process consists of a program to run and the program's words. Node
 * needs no such variable. Without the variable, the single executable would read the words as its own (src/executable).
 */
export const runsProgram = 'TANZANITE_RUN_PROGRAM';

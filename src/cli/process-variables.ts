// Variables that tell a process how it was started. The executable reads them before it has unpacked the rest.

import type { Environment } from './command-context.ts';

/**
 * The images set this variable to the path of their volume. The executable in an image therefore runs src/image instead
 * of src/cli.
 */
export const imageVariable = 'TANZANITE_IMAGE';

/**
 * Returns the volume of the image. Returns undefined if the variable does not contain an absolute path: outside the
 * image, a workflow may use the same variable for the name of an image.
 */
export function volumeIn({ [imageVariable]: volume }: Environment): string | undefined {
  return volume?.startsWith('/') ? volume : undefined;
}

/**
 * If this variable is set, the first word on the command line of the single executable is the path of a program. The
 * executable runs this program with the other words. Without the variable, the executable would read all words as its
 * own command line (src/executable). Under Node, the variable is not needed.
 */
export const runsProgram = 'TANZANITE_RUN_PROGRAM';

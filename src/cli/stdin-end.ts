/**
 * Resolves when standard input ends or cannot be read. This means that the program at the other end has closed the
 * input or is gone. The data from standard input is discarded. Reading keeps this process running until standard input
 * ends.
 */
export function stdinEnd(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once('end', resolve).once('error', resolve).resume();
  });
}

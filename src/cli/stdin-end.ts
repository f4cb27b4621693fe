/**
 * Resolves once standard input has ended or cannot be read: the program at the other end has closed the input or is
 * gone. Input is dropped. Until standard input ends, reading it keeps this process running.
 */
export function stdinEnd(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once('end', resolve).once('error', resolve).resume();
  });
}

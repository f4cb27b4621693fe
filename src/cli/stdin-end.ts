/**
 * Resolves once standard input has ended or cannot be read: the program that holds its other end is gone, or has closed it. What arrives is
 * dropped. Until then it keeps the process running.
 */
export function stdinEnd(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once('end', resolve).once('error', resolve).resume();
  });
}

/**
 * Resolves once standard input has ended or cannot be read: the program at its other end is gone, or has closed it. Input is
 * dropped. Until that moment, the read keeps the process running.
 */
export function stdinEnd(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once('end', resolve).once('error', resolve).resume();
  });
}

// Fake timers of a test do not reach this one.
import { clearInterval, setInterval } from 'node:timers';
import { isProcessRunning } from '../model/process-running.ts';

const everyMs = 500;

/**
 * For the worker of a test runner: ends this process when the runner is gone, since it was killed. A test that waits would go on
 * otherwise, and the emulator would keep its port. What was acknowledged stays, as after any kill. Returns what ends the watch.
 */
export function endWithRunner(): () => void {
  const runner = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === runner && isProcessRunning(runner)) return;
    // Runners replace process.exit in their workers.
    process.kill(process.pid, 'SIGKILL');
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

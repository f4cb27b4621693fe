// The timers are imported, so that a test's fake timers do not replace them.
import { clearInterval, setInterval } from 'node:timers';
import { isProcessRunning } from '../model/process-running.ts';

const everyMs = 500;

/**
 * For the worker of a test runner: ends this process if the runner was killed. Otherwise a waiting test would continue,
 * and the emulator would keep its port. As after any kill, acknowledged writes are not lost. Returns a function that
 * stops watching the runner.
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

// The timers are imported, so that a test's fake timers do not replace them.
import { clearInterval, setInterval } from 'node:timers';
import { isProcessRunning } from '../model/process-running.ts';

const everyMs = 500;

/**
 * Watches the test runner that started this worker process. If the runner is killed, kills this process too. A waiting
 * test would otherwise continue, and its emulator would keep the port. Like any kill, this kill loses no acknowledged
 * writes. Returns a function that stops watching the runner.
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

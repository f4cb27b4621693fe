import { afterEach, describe, expect, it, vi } from 'vitest';
import { countText, Interrupted, interruptible, openProgress } from '../../../src/cli/progress.ts';

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** Captures what is written to standard error. It is a terminal of this many columns, or not a terminal. */
function capture(columns: number | undefined): string[] {
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const tty = Object.getOwnPropertyDescriptor(process.stderr, 'isTTY');
  const wide = Object.getOwnPropertyDescriptor(process.stderr, 'columns');
  Object.defineProperty(process.stderr, 'isTTY', { value: columns !== undefined, configurable: true });
  Object.defineProperty(process.stderr, 'columns', { value: columns, configurable: true });
  restore = () => {
    Object.defineProperty(process.stderr, 'isTTY', tty ?? { value: undefined, configurable: true });
    Object.defineProperty(process.stderr, 'columns', wide ?? { value: undefined, configurable: true });
  };
  return written;
}
let restore: () => void = () => undefined;
afterEach(() => restore());

/**
 * Sends a signal only to the work that was started last, because other test files of this process may also listen to
 * real signals.
 */
function sendSignal(name: NodeJS.Signals): void {
  process.listeners(name).at(-1)?.(name);
}

const describeCount = (count: number): string => `${countText(count)} entities`;

describe('progress', () => {
  it('is a one-line bar on a terminal and is removed at the end', () => {
    const written = capture(80);
    const progress = openProgress({ label: 'seeding', describe: describeCount });
    progress.update(1_234_567, 2_469_134);
    progress.done();
    expect(written).toEqual(['\rseeding [############------------] 50 %  1,234,567 entities\x1b[K', '\r\x1b[K']);
  });

  it('is cut to a narrow terminal', () => {
    const written = capture(20);
    openProgress({ label: 'seeding', describe: describeCount }).update(1, 2);
    expect(written).toEqual(['\rseeding [##########\x1b[K']);
  });

  it('prints nothing for short work if there is no terminal, and nothing at all if it is quiet', () => {
    const written = capture(undefined);
    const progress = openProgress({ label: 'seeding', describe: describeCount });
    progress.update(5, 10);
    progress.done();
    const quiet = openProgress({ label: 'seeding', describe: describeCount, isQuiet: true });
    quiet.update(5, 10);
    quiet.done();
    expect(written).toEqual([]);
  });
});

describe('interruptible work', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('is aborted by the first %s, and its own error counts', async (name, exitCode) => {
    const listeners = process.listenerCount(name);
    const running = interruptible(
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    sendSignal(name);
    const error = await running.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Interrupted);
    expect(error).toMatchObject({ exitCode });
    expect(process.listenerCount(name)).toBe(listeners);
  });

  it('that completes despite the signal returns its result; the process ends with the code of the signal', async () => {
    const running = interruptible(async () => {
      sendSignal('SIGTERM');
      return 'done';
    });
    expect(await running).toBe('done');
    expect(process.exitCode).toBe(143);
  });
});

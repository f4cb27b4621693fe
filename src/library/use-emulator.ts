import type { FaultRule } from '../faults/fault-rule.ts';
import type { RequestReport } from '../model/request-report.ts';
import { addRefusals, isRefused } from './add-refusals.ts';
import { endWithRunner } from './end-with-runner.ts';
import { type Emulator, startEmulator } from './start-emulator.ts';
import type { StartOptions } from './start-options.ts';

/** The emulator of a test file or block. It runs from `beforeAll` to `afterAll`. */
export interface TestEmulator extends Omit<Emulator, 'close' | typeof Symbol.asyncDispose> {
  /** The last requests of this test, at most 200, that were refused or struck by a staged fault. */
  refusals(): readonly RequestReport[];
}

/**
 * Options of `useEmulator()`: the options of `startEmulator()`, and the faults and the time with which each test
 * begins.
 */
export interface TestOptions extends Omit<StartOptions, 'faults'> {
  /** The faults when each test begins: a rule, a list of rules, a file of rules, or `chaos`. */
  readonly faults?: FaultRule | readonly FaultRule[] | string;
  /**
   * The time of the service when each test begins: a Date, a text in ISO 8601, or `frozen` to stop the clock at the
   * machine's time.
   */
  readonly clock?: Date | string;
}

/** Hooks of a test runner, for the file or block that calls them. */
export interface Hooks {
  readonly beforeAll: (start: () => Promise<void>) => unknown;
  readonly afterAll: (stop: () => Promise<void>) => unknown;
  /** Needed only for the options `faults` and `clock`. */
  readonly beforeEach?: (stage: () => Promise<void>) => unknown;
  /** If absent, clock and faults stay as a test leaves them. */
  readonly afterEach?: (putBack: () => Promise<void>) => unknown;
}

/** The hooks of a runner that reports how a test ended. */
export interface RunnerHooks extends Omit<Hooks, 'afterEach'> {
  /** `failures` are the error of the test and its wrappers. The runner shows them after its hooks have run. */
  readonly afterEach?: (end: (...failures: readonly unknown[]) => Promise<void>) => unknown;
  /** Whether the runner started this process as a worker. A runner outlives its workers, unless it is killed. */
  readonly isWorker?: boolean;
}

const refusalsMax = 200;

/**
 * Starts an emulator before the first test of a file or block, and closes it after the last test. Each test begins with
 * the faults and the clock that the options set. After each test, failed or not, the faults and the clock are reset.
 * The error of a failed test lists the requests that the emulator refused.
 */
export function useEmulatorWith(hooks: RunnerHooks, options: TestOptions = {}): TestEmulator {
  const { beforeAll, beforeEach, afterEach, afterAll, isWorker = false } = hooks;
  const { faults, clock, ...others } = options;
  if ((faults !== undefined || clock !== undefined) && !beforeEach) {
    throw new TypeError('useEmulator: the options faults and clock need the hook beforeEach');
  }
  let running: Emulator | undefined;
  const stopWatch = isWorker ? endWithRunner() : undefined;
  let refusals: RequestReport[] = [];
  let rules: readonly FaultRule[] = [];
  const onRequest = (report: RequestReport): void => {
    options.onRequest?.(report);
    if (isRefused(report)) refusals.push(report);
    if (refusals.length > refusalsMax) refusals.shift();
  };
  beforeAll(async () => {
    const observed = others.onRequest === undefined || typeof others.onRequest === 'function';
    running = await startEmulator({
      ...others,
      ...(observed && { onRequest }),
      ...(typeof faults === 'string' && { faults }),
    });
    rules = typeof faults === 'object' ? [faults].flat() : await rulesInForce(running);
  });
  beforeEach?.(async () => {
    if (running) await stage(running, rules, clock);
  });
  afterEach?.(async (...failures) => {
    await running?.reset({ clock: true, faults: true });
    for (const failure of failures) addRefusals(failure, refusals);
    refusals = [];
  });
  afterAll(async () => {
    await running?.close();
    running = undefined;
    stopWatch?.();
  });
  const started = (): Emulator => {
    if (running) return running;
    throw new Error('useEmulator: the emulator runs only from beforeAll to afterAll: use it in a test or a hook');
  };
  return {
    get url() {
      return started().url;
    },
    get httpsUrl() {
      return started().httpsUrl;
    },
    get certificateAuthority() {
      return started().certificateAuthority;
    },
    get connectionString() {
      return started().connectionString;
    },
    account: () => started().account(),
    reset: async (target) => started().reset(target),
    seed: async (path, options) => started().seed(path, options),
    export: async (folder, options) => started().export(folder, options),
    snapshot: async (name, target) => started().snapshot(name, target),
    restore: async (name, target) => started().restore(name, target),
    snapshots: async (target) => started().snapshots(target),
    deleteSnapshot: async (name, target) => started().deleteSnapshot(name, target),
    get clock() {
      return started().clock;
    },
    get faults() {
      return started().faults;
    },
    get identity() {
      return started().identity;
    },
    capacity: () => started().capacity(),
    get advisor() {
      return started().advisor;
    },
    refusals: () => [...refusals],
  };
}

/** The rules in force, without their counts. They come from a file or a profile (`chaos`). */
async function rulesInForce({ faults }: Emulator): Promise<FaultRule[]> {
  return (await faults.list()).map(({ id: _, hits: __, matched: ___, ...rule }) => rule);
}

async function stage({ faults, clock }: Emulator, rules: readonly FaultRule[], time?: Date | string): Promise<void> {
  if (rules.length > 0) await faults.clear();
  for (const rule of rules) await faults.add(rule);
  if (time === 'frozen') await clock.freeze();
  else if (time !== undefined) await clock.set(time);
}

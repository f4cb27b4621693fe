// What tests or users have staged: fault rules, and a clock that differs from the machine's clock. While a fault rule
// or a changed clock is in force, every page shows this.

import { signal } from '@preact/signals';
import type { FaultRule, FaultRuleReport } from '../../faults/fault-rule.ts';
import type { ClockState } from '../../model/clock-state.ts';
import { api } from './api.ts';

/** Undefined until they are known. */
export const faultRules = signal<readonly FaultRuleReport[] | undefined>(undefined);

export interface KnownClock extends ClockState {
  /** When the answer came, by the monotonic clock of the browser. */
  readonly receivedMs: number;
}

/** Undefined until it is known. */
export const clock = signal<KnownClock | undefined>(undefined);

/** Why the rules or the clock could not be read. */
export const stagedFault = signal<unknown>(undefined);

interface FaultsReport {
  readonly rules: readonly FaultRuleReport[];
}

/** Passes each answer to `take`, unless the answer to a later question was already passed. */
function newestOf<Answer>(take: (answer: Answer) => void) {
  let [asked, taken] = [0, 0];
  return async (ask: () => Promise<Answer>): Promise<void> => {
    asked += 1;
    const number = asked;
    const answer = await ask();
    if (number < taken) return;
    taken = number;
    take(answer);
  };
}

const takeRules = newestOf<FaultsReport>(({ rules }) => {
  faultRules.value = rules;
});
const takeClock = newestOf<ClockState>((state) => {
  clock.value = { ...state, receivedMs: performance.now() };
});

const loadRules = (): Promise<void> => takeRules(() => api<FaultsReport>('faults'));

export async function loadStaged(): Promise<void> {
  try {
    await Promise.all([loadRules(), turnClock()]);
    stagedFault.value = undefined;
  } catch (error) {
    stagedFault.value = error;
  }
}

const everyMs = 2_000;

/** Reads rules and clock regularly while the page is visible, until the returned function is called. */
export function watchStaged(): () => void {
  void loadStaged();
  const timer = setInterval(() => {
    if (!document.hidden) void loadStaged();
  }, everyMs);
  return () => clearInterval(timer);
}

/** Adds rules after the ones in force. */
export async function addRules(rules: readonly FaultRule[]): Promise<void> {
  await api('faults', { method: 'POST', body: rules });
  await loadRules();
}

/** Removes the rule with this id, or all rules if no id is given. */
export async function removeRules(id?: string): Promise<void> {
  await api(id === undefined ? 'faults' : `faults/${encodeURIComponent(id)}`, { method: 'DELETE' });
  await loadRules();
}

export type ClockTurn =
  | { readonly now: string }
  | { readonly advanceMs: number }
  | { readonly freeze: boolean }
  | 'release';

/** Sets, advances, freezes or releases the clock. Without `turn`, only reads the time. */
export async function turnClock(turn?: ClockTurn): Promise<void> {
  const request =
    turn === undefined
      ? {}
      : turn === 'release'
        ? { method: 'DELETE' as const }
        : { method: 'POST' as const, body: turn };
  await takeClock(() => api<ClockState>('clock', request));
}

/** The clocks count as equal up to this difference, because the request takes time, too. */
const sameMs = 50;

export const isClockTurned = ({ isFrozen, offsetMs }: ClockState): boolean => isFrozen || Math.abs(offsetMs) > sameMs;

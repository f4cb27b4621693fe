import type { Participant } from './participant.ts';

/** The participants of an account, in the order in which they are called. */
export class ParticipantList implements Required<Participant> {
  readonly #participants: readonly Participant[];

  constructor(participants: readonly Participant[]) {
    this.#participants = participants;
  }

  get isIdle(): boolean {
    return this.#participants.every(({ isIdle = true }) => isIdle);
  }

  beforeCommit(): void {
    for (const one of this.#participants) one.beforeCommit?.();
  }

  committed(): void {
    for (const one of this.#participants) one.committed?.();
  }

  rolledBack(): void {
    for (const one of this.#participants) one.rolledBack();
  }

  /** Resolves when no participant has work in progress. */
  async settled(): Promise<void> {
    const working = this.#participants.filter(({ settled }) => settled);
    do {
      for (const one of working) await one.settled?.();
    } while (!working.every(({ isIdle = true }) => isIdle));
  }

  close(): void {
    for (const one of this.#participants) one.close?.();
  }
}

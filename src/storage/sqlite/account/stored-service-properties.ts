import type { Statements } from '../file/statements.ts';
import type { Participant } from '../participant.ts';

type Update = { readonly kind: 'updated' } | { readonly kind: 'threw'; readonly error: unknown };

/** The settings of the table service, as text, and whether the current group of writes has changed them. */
export class StoredServiceProperties implements Participant {
  readonly #statements: Statements;
  readonly #onChanged: () => void;
  #isChanged = false;

  /** `onChanged` runs after each commit that may have changed the settings. */
  constructor(statements: Statements, onChanged: () => void = () => undefined) {
    this.#statements = statements;
    this.#onChanged = onChanged;
  }

  /** The settings that the connection of the statements sees. */
  get({ getServiceProperties }: Statements = this.#statements): string | undefined {
    return (getServiceProperties.get() as string | null) ?? undefined;
  }

  clear(): void {
    this.#statements.setServiceProperties.run(null);
    this.markChanged();
  }

  /** If `change` throws, returns the error: thrown, it would fail all writes of the group. */
  update(change: (current: string | undefined) => string): Update {
    let changed: string;
    try {
      changed = change(this.get());
    } catch (error) {
      return { kind: 'threw', error };
    }
    this.#statements.setServiceProperties.run(changed);
    this.markChanged();
    return { kind: 'updated' };
  }

  markChanged(): void {
    this.#isChanged = true;
  }

  committed(): void {
    if (this.#isChanged) this.#onChanged();
    this.#isChanged = false;
  }

  rolledBack(): void {
    this.#isChanged = false;
  }
}

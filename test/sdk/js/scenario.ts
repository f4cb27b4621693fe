import { it } from 'vitest';
import { titleOfScenario } from '../../support/sdk-scenarios.ts';

/** Defines the test of a scenario in test/sdk/scenarios.json. */
export function scenario(id: string, run: () => void | Promise<void>): void {
  it(titleOfScenario(id), run);
}

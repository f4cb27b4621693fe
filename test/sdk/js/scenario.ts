import { it } from 'vitest';
import { titleOfScenario } from '../../support/sdk-scenarios.ts';

/** The test of a scenario of test/sdk/scenarios.json. */
export function scenario(id: string, run: () => void | Promise<void>): void {
  it(titleOfScenario(id), run);
}

// The scenarios of test/sdk/scenarios.json, which every SDK is tested with. Programs report them by their ids.
import { readFileSync } from 'node:fs';

export interface Scenario {
  readonly id: string;
  readonly area: string;
  /** What the program does, and what it must then see. */
  readonly does: string;
  readonly outcome: string;
  /** SDKs that cannot express the scenario, with the reason. */
  readonly cannot?: Readonly<Record<string, string>>;
}

interface ScenarioFile {
  /** By their folders in test/sdk. */
  readonly sdks: Readonly<Record<string, { readonly language: string; readonly name: string }>>;
  readonly scenarios: readonly Scenario[];
}

const file = new URL('../sdk/scenarios.json', import.meta.url);
export const { sdks, scenarios }: ScenarioFile = JSON.parse(readFileSync(file, 'utf8'));

/** The ids of the scenarios that an SDK can express. */
export function scenariosOf(sdk: string): readonly string[] {
  return scenarios.filter(({ cannot }) => cannot?.[sdk] === undefined).map(({ id }) => id);
}

/** The title of a test of a scenario. */
export function titleOfScenario(id: string): string {
  const found = scenarios.find((scenario) => scenario.id === id);
  if (!found) throw new Error(`test/sdk/scenarios.json has no ${id}`);
  return `${found.does}: ${found.outcome}`;
}

// The scenarios of test/sdk/scenarios.json, with which every SDK is tested. Programs report them by their ids.
import { readFileSync } from 'node:fs';

export interface Scenario {
  readonly id: string;
  readonly area: string;
  /** What the program does, and what it must see afterwards. */
  readonly does: string;
  readonly outcome: string;
  /** SDKs that cannot express the scenario, with the reason. */
  readonly cannot?: Readonly<Record<string, string>>;
}

interface ScenarioFile {
  /** The SDKs, by the names of their folders in test/sdk. */
  readonly sdks: Readonly<Record<string, { readonly language: string; readonly name: string }>>;
  readonly scenarios: readonly Scenario[];
}

const file = new URL('../sdk/scenarios.json', import.meta.url);
export const { sdks, scenarios }: ScenarioFile = JSON.parse(readFileSync(file, 'utf8'));

/** The ids of the scenarios that an SDK can express. */
export function scenariosOf(sdk: string): readonly string[] {
  return scenarios.filter(({ cannot }) => cannot?.[sdk] === undefined).map(({ id }) => id);
}

/** The title of the test of a scenario. */
export function titleOfScenario(id: string): string {
  const found = scenarios.find((scenario) => scenario.id === id);
  if (!found) throw new Error(`test/sdk/scenarios.json has no ${id}`);
  return `${found.does}: ${found.outcome}`;
}

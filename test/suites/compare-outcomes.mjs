const severity = ['skipped', 'passed', 'failed'];

/**
 * Compares the outcomes of a suite with the list of its expected failures. `failed` contains all failures. `expected`
 * contains the failures on the list, and `unexpected` contains all other failures. `outdated` contains the tests on the
 * list that did not fail. A test that is reported more than once, for example by its teardown, counts once, with its
 * worst outcome.
 */
export function compareOutcomes(outcomes, expectedFailures) {
  const byName = new Map();
  for (const outcome of outcomes) {
    const known = byName.get(outcome.name);
    if (!known || severity.indexOf(outcome.outcome) > severity.indexOf(known.outcome)) {
      byName.set(outcome.name, outcome);
    }
  }
  const all = [...byName.values()];
  const failed = all.filter(({ outcome }) => outcome === 'failed');
  return {
    passed: all.filter(({ outcome }) => outcome === 'passed').length,
    skipped: all.filter(({ outcome }) => outcome === 'skipped'),
    failed,
    expected: failed
      .filter(({ name }) => name in expectedFailures)
      .map(({ name }) => ({ name, reason: expectedFailures[name] })),
    unexpected: failed.filter(({ name }) => !(name in expectedFailures)),
    outdated: Object.keys(expectedFailures)
      .filter((name) => byName.get(name)?.outcome !== 'failed')
      .map((name) => ({ name, state: byName.get(name)?.outcome ?? 'did not run' })),
  };
}

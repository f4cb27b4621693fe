import { describe, expect, it } from 'vitest';
import type { ChargeVisit, Usage } from '../../../src/capacity/meter.ts';
import { entityUnits } from '../../../src/model/entity-units.ts';
import { admitNow, newScenario, read, refusalNow, type Scenario, write } from './scenario.ts';

const budgetOf = ({ report }: Scenario): number => report().budget;

const stretch = (units: number, partitionKey = 'p'): Usage => ({
  units,
  parts: [{ partitionKey, units, partitionUnits: 0 }],
});

/** A page that may visit an entire table. */
function openPage(scenario: Scenario): ChargeVisit {
  return admitNow(scenario.meter, read('', { isPinned: false })).chargePage()!;
}

describe('the units of a request', () => {
  it('are 100 for a batch of 100 entities', () => {
    const scenario = newScenario();
    expect(refusalNow(scenario.meter, write('p', { units: 100 }))).toBeUndefined();
    expect(scenario.report()).toMatchObject({ units: 100, budget: 19_900 });
    expect(scenario.report().hotPartitions[0]).toMatchObject({ partitionKey: 'p', unitsPerSecond: 100 / 9 });
  });

  it('are 1,000 for a query that visits 1,000 entities, even if it returns few', () => {
    const scenario = newScenario();
    const visit = openPage(scenario);
    for (let at = 0; at < 10; at++) expect(visit(stretch(100))).toBe(true);
    expect(scenario.report()).toMatchObject({ units: 1_000, budget: 19_000 });
  });

  it('are 10 for an entity of 10 KiB', () => {
    const scenario = newScenario();
    const admission = admitNow(scenario.meter, read('p'));
    const units = entityUnits({ partitionKey: 'p', rowKey: 'r', properties: 'x'.repeat(10 * 1024 - 2) });
    admission.charge(units - admission.units);
    expect(admission.units).toBe(10);
    expect(scenario.report()).toMatchObject({ units: 10, budget: 19_990 });
  });

  it('are 1 for a query that visits nothing', () => {
    const scenario = newScenario();
    const visit = openPage(scenario);
    expect(visit(stretch(0))).toBe(true);
    expect(scenario.report()).toMatchObject({ units: 1, budget: 19_999 });
    expect(visit(stretch(5))).toBe(true);
    expect(scenario.report()).toMatchObject({ units: 5, budget: 19_995 });
  });

  it('count only for the account if the request has no entities', () => {
    const scenario = newScenario();
    const admission = admitNow(scenario.meter, read('', { table: undefined, isPinned: false }));
    expect(admission.chargePage()).toBeUndefined();
    expect(scenario.report()).toMatchObject({ units: 1, budget: 19_999, tables: [], hotPartitions: [] });
  });

  it('are those of one table, whatever the case of its name', () => {
    const scenario = newScenario();
    for (const table of ['Orders', 'orders', 'ORDERS']) admitNow(scenario.meter, read('p', { table }));
    expect(scenario.report().tables).toMatchObject([{ table: 'Orders', units: 3 }]);
    expect(scenario.report().hotPartitions).toHaveLength(1);
  });

  it('are not counted if throttling is off', () => {
    const { capacity } = newScenario({ throttle: 'off' });
    const meter = capacity.meter('another');
    const admission = admitNow(meter, read('p', { units: 1_000_000 }));
    expect(admission).toMatchObject({ outcome: 'admitted', units: 0, waitedMs: 0 });
    expect(admission.chargePage()).toBeUndefined();
    expect(capacity.report().accounts).toEqual([]);
  });

  it('are dropped when their table is dropped', () => {
    const scenario = newScenario();
    admitNow(scenario.meter, read('p'));
    scenario.meter.forgetTable('ORDERS');
    expect(scenario.report().tables).toEqual([]);
  });
});

describe('a request for more units than a bucket can contain', () => {
  it('is admitted if the bucket is full, which then has a debt', () => {
    const scenario = newScenario();
    const large = write('p', { units: 5_000 });
    expect(refusalNow(scenario.meter, large)).toBeUndefined();
    scenario.time.advance(1_500);
    expect(refusalNow(scenario.meter, read('p'))).toEqual({ outcome: 'busy', limit: 'partition' });
    scenario.time.advance(0.5);
    expect(refusalNow(scenario.meter, read('p'))).toBeUndefined();
  });

  it('is refused while the bucket is nearly full', () => {
    const scenario = newScenario();
    const large = write('p', { units: 5_000 });
    admitNow(scenario.meter, read('p'));
    expect(refusalNow(scenario.meter, large)).toEqual({ outcome: 'busy', limit: 'partition' });
    scenario.time.advance(0.5);
    expect(refusalNow(scenario.meter, large)).toBeUndefined();
  });

  it('takes nothing from any budget if it is refused', () => {
    const scenario = newScenario();
    for (let at = 0; at < 2_000; at++) admitNow(scenario.meter, read('p'));
    const before = budgetOf(scenario);
    expect(refusalNow(scenario.meter, read('p'))).toBeDefined();
    expect(budgetOf(scenario)).toBe(before);
  });
});

describe('a page', () => {
  it('of a query ends when the budget of its partition is spent', () => {
    const scenario = newScenario();
    const visit = admitNow(scenario.meter, read('p')).chargePage()!;
    expect(visit(stretch(1_000))).toBe(true);
    expect(visit(stretch(1_500))).toBe(false);
    expect(scenario.report().pagesCut).toBe(1);
    expect(refusalNow(scenario.meter, read('p'))).toEqual({ outcome: 'busy', limit: 'partition' });
    scenario.time.advance(250.5);
    expect(refusalNow(scenario.meter, read('p'))).toBeUndefined();
  });

  it('of a query ends when the budget of its range is spent', () => {
    const visit = openPage(newScenario());
    expect([4_000, 3_000, 2_000].map((units) => visit(stretch(units)))).toEqual([true, true, false]);
  });

  it('of a query ends when the budget of the account is spent', () => {
    const scenario = newScenario({ rangeTarget: 1_000_000 });
    const visit = openPage(scenario);
    expect([15_000, 6_000].map((units) => visit(stretch(units)))).toEqual([true, false]);
  });

  it('of a query ends when the budget of any partition that it visits is spent', () => {
    const visit = openPage(newScenario({ rangeTarget: 1_000_000 }));
    const keys = ['a', 'b', 'c', 'd', 'e'];
    const parts = keys.map((partitionKey) => ({ partitionKey, units: 300, partitionUnits: 300 }));
    const usage = { units: 1_500, parts };
    expect([1, 2, 3, 4, 5, 6, 7].map(() => visit(usage))).toEqual([true, true, true, true, true, true, false]);
  });
});

describe('observing a page', () => {
  it('does not end the page when the budget is spent, and counts it once', () => {
    const scenario = newScenario({ throttle: 'observe' });
    for (const pages of [1, 2]) {
      const visit = admitNow(scenario.meter, read('p')).chargePage()!;
      for (let at = 0; at < 10; at++) expect(visit(stretch(500))).toBe(true);
      expect(scenario.report().pagesCut).toBe(pages);
      scenario.time.advance(1_000);
    }
  });

  it('does not count a page as cut if it would not have begun', () => {
    const scenario = newScenario({ throttle: 'observe' });
    admitNow(scenario.meter, write('p', { units: 3_000 }));
    const admission = admitNow(scenario.meter, read('p'));
    expect(admission.chargePage()!(stretch(500))).toBe(true);
    expect(admission).toMatchObject({ outcome: 'wouldThrottle', limit: 'partition', units: 500, waitedMs: 0 });
    expect(scenario.report()).toMatchObject({ pagesCut: 0, refusals: { partition: { wouldThrottle: 1 } } });
  });
});

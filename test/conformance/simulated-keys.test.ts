import { describe, expect, it } from 'vitest';
import type { GivenQuery } from '../../src/advisor/keys/query-groups.ts';
import type { KeySimulation } from '../../src/advisor/keys/simulate-keys.ts';
import { simulateTexts } from '../../src/advisor/keys/simulate-texts.ts';
import type { EdmValue } from '../../src/model/edm.ts';
import { hashText } from '../../src/model/hash-text.ts';
import { ticksFromMs } from '../../src/model/ticks.ts';
import { accepting } from '../support/expect-success.ts';
import { continuationOf, filterOption } from '../support/queries.ts';
import { Random } from '../support/random.mjs';
import { startService } from '../support/service.ts';

// simulate-keys predicts figures for a design of keys. The tests store entities under the keys of a design, and measure
// the same figures. Each test computes the keys of its entities in code, as a program would.

const service = await startService();
const seed = new Random(38);
const random = (): number => seed.next();
const pick = <T>(list: readonly T[]): T => seed.pick(list);
const digits = (value: number | bigint, width: number): string => String(value).padStart(width, '0');

interface Row {
  readonly [name: string]: string | number | Date;
}

function edmOf(value: Row[string]): EdmValue {
  if (typeof value === 'string') return { type: 'Edm.String', value };
  if (typeof value === 'number') return { type: 'Edm.Int32', value };
  return { type: 'Edm.DateTime', value: ticksFromMs(value.getTime()) };
}

const jsonOf = (row: Row): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      value instanceof Date
        ? [
            [`${name}@odata.type`, 'Edm.DateTime'],
            [name, value.toISOString()],
          ]
        : [[name, value]],
    ),
  );

type KeyOf = (row: Row) => readonly [partitionKey: string, rowKey: string];

async function load(table: string, rows: readonly Row[], ...keys: readonly KeyOf[]): Promise<void> {
  await service.createTable(table);
  for (const row of rows) {
    for (const keyOf of keys) {
      const [PartitionKey, RowKey] = keyOf(row);
      await service.insert(table, { PartitionKey, RowKey, ...jsonOf(row) });
    }
  }
}

interface Measured {
  readonly plans: readonly string[];
  readonly visited: number;
  readonly returned: number;
  readonly transactions: number;
}

/** Sends a query page by page, or with `top` only one page. */
async function measure(table: string, filters: readonly string[], top: number | null): Promise<Measured> {
  const plans = new Set<string>();
  const sums = { visited: 0, returned: 0, transactions: 0 };
  const headers = { ...accepting('nometadata'), 'x-emulator-explain': 'true' };
  for (const filter of filters) {
    let next = '';
    do {
      const options = [filterOption(filter), ...(top === null ? [] : [`$top=${top}`]), ...(next === '' ? [] : [next])];
      const answer = await service.get(`/${table}()?${options.join('&')}`, headers);
      expect(answer.status, `${filter}\n${answer.body}`).toBe(200);
      const timing = answer.header('Server-Timing') ?? '';
      const figure = (name: string): string => new RegExp(`${name};desc="([^"]*)"`).exec(timing)?.[1] ?? '';
      plans.add(figure('plan'));
      sums.visited += Number(figure('visited'));
      sums.returned += Number(figure('returned'));
      sums.transactions += 1;
      next = top === null ? continuationOf(answer) : '';
    } while (next !== '');
  }
  return { plans: [...plans], ...sums };
}

/** Counts the share of the largest partition in the stored entities. */
async function measureShare(table: string): Promise<{ readonly partitions: number; readonly share: number }> {
  const counts = new Map<string, number>();
  let [all, next] = [0, ''];
  do {
    const answer = await service.get(`/${table}()?$select=PartitionKey${next && `&${next}`}`, accepting('nometadata'));
    const { value } = JSON.parse(answer.body) as { value: { PartitionKey: string }[] };
    for (const { PartitionKey } of value) counts.set(PartitionKey, (counts.get(PartitionKey) ?? 0) + 1);
    all += value.length;
    next = continuationOf(answer);
  } while (next !== '');
  return { partitions: counts.size, share: Math.max(...counts.values()) / all };
}

interface Design {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly index?: { readonly partitionKey: string; readonly rowKey: string; readonly isInSameTable: boolean };
}

const simulate = (rows: readonly Row[], design: Design, queries: readonly GivenQuery[]): Promise<KeySimulation> =>
  simulateTexts({
    ...design,
    entities: rows.map((row) => new Map(Object.entries(row).map(([name, value]) => [name, edmOf(value)]))),
    queries,
    givenOrder: 'in the order given',
    nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
  });

/** Compares the prediction with the measurement, and returns the plan of each query. */
async function expectMeasured(
  { tables, queries }: KeySimulation,
  names: { readonly table: string; readonly index?: string },
): Promise<Record<string, string>> {
  for (const { name, distribution, problems } of tables) {
    expect(problems).toEqual([]);
    const { partitions, share } = await measureShare(names[name] ?? '');
    expect({ partitions: distribution.partitions, share: distribution.largest?.share }).toEqual({ partitions, share });
  }
  const plans: Record<string, string> = {};
  for (const { example, top, design } of queries) {
    const measured = await measure(names[design.table] ?? '', design.filters, top);
    const { plan, visited, transactions } = design;
    const returned = top === null ? measured.returned : Math.min(measured.returned, top);
    expect({ example, plans: [plan], visited, returned: design.returned, transactions }).toEqual({
      example,
      ...measured,
      returned,
    });
    plans[`${example}${top === null ? '' : ` top ${top}`}`] =
      `${plan}${design.table === 'index' ? ' of the index' : ''}`;
  }
  return plans;
}

const departments = ['Sales', 'Sales', 'Sales', 'Marketing', 'Marketing', 'Engineering', 'O’Hare & Co'];
const employees: readonly Row[] = Array.from({ length: 400 }, (_, at) => ({
  Department: pick(departments),
  EmployeeId: at + 1,
  LastName: pick(['Jones', 'Hall', 'Smith', "O'Neil", 'Jonesson']),
  Email: `Employee${at + 1}@contoso.com`,
  Age: 20 + Math.floor(random() * 45),
}));
const byDepartment: KeyOf = (row) => [String(row['Department']), `empid_${digits(Number(row['EmployeeId']), 6)}`];

const employeeQueries: readonly GivenQuery[] = [
  { filter: `Department eq '${employees[222]?.['Department']}' and EmployeeId eq 223` },
  { filter: "Department eq 'Sales' and EmployeeId ge 100 and EmployeeId lt 200" },
  { filter: "Department eq 'Sales' and EmployeeId gt 390" },
  { filter: "Department eq 'Sales' and Age gt 60" },
  { filter: `Department eq '${employees[4]?.['Department']}' and Email eq 'Employee5@contoso.com'` },
  { filter: "Email eq 'Employee5@contoso.com'" },
  { filter: "Department eq 'Sales' or Department eq 'Marketing'" },
  { filter: "LastName eq 'O''Neil'" },
  { filter: 'EmployeeId eq 7' },
  { filter: '' },
  { filter: "Department eq 'Marketing'", top: 10 },
];

describe("a simulation of the design guide's employees agrees with what is measured", () => {
  it('with departments as partitions', async () => {
    await load('employees', employees, byDepartment);
    const design = { partitionKey: '{Department}', rowKey: 'empid_{EmployeeId:000000}' };
    const plans = await expectMeasured(await simulate(employees, design, employeeQueries), { table: 'employees' });
    expect(Object.values(plans).sort()).toEqual(
      ['point', 'range', 'range', 'range', 'range', 'range', ...Array.from({ length: 5 }, () => 'table scan')].sort(),
    );
  });

  it('with a second RowKey in the same partition (intra-partition secondary index pattern)', async () => {
    const byEmail: KeyOf = (row) => [String(row['Department']), `email_${String(row['Email']).toLowerCase()}`];
    await load('employeesTwice', employees, byDepartment, byEmail);
    const simulation = await simulate(
      employees,
      {
        partitionKey: '{Department}',
        rowKey: 'empid_{EmployeeId:000000}',
        index: { partitionKey: '{Department}', rowKey: 'email_{Email:lower}', isInSameTable: true },
      },
      employeeQueries,
    );
    const plans = await expectMeasured(simulation, { table: 'employeesTwice' });
    expect(Object.values(plans).filter((plan) => plan === 'point')).toHaveLength(2);
    expect(simulation.writes).toEqual({ entities: 400, written: 800, transactions: 400, isAtomic: true });
  });

  it('with a table by email (inter-partition secondary index pattern)', async () => {
    await load('employeesByEmail', employees, (row) => [String(row['Email']).toLowerCase(), '']);
    const index = { partitionKey: '{Email:lower}', rowKey: '', isInSameTable: false };
    const design = { partitionKey: '{Department}', rowKey: 'empid_{EmployeeId:000000}', index };
    const simulation = await simulate(employees, design, employeeQueries);
    const plans = await expectMeasured(simulation, { table: 'employees', index: 'employeesByEmail' });
    expect(plans["Email eq 'Employee5@contoso.com'"]).toBe('point of the index');
    expect(simulation.writes).toEqual({ entities: 400, written: 800, transactions: 800, isAtomic: false });
  });
});

describe('a simulation agrees with what is measured', () => {
  it('of an expense log, the newest first (log tail pattern)', async () => {
    const expenses: readonly Row[] = Array.from({ length: 1_300 }, (_, at) => ({
      Employee: pick(['ada', 'bob', 'cy']),
      Spent: new Date(Date.UTC(2026, 0, 1) + at * 3_600_000),
      Amount: Math.floor(random() * 900),
    }));
    const inverted = (date: Date): string => digits(3_155_378_975_999_999_999n - ticksFromMs(date.getTime()), 19);
    await load('expenses', expenses, (row) => [String(row['Employee']), inverted(row['Spent'] as Date)]);
    const queries = [
      { filter: "Employee eq 'ada'", top: 10 },
      {
        filter:
          "Employee eq 'bob' and Spent ge datetime'2026-02-01T00:00:00Z' and Spent lt datetime'2026-02-08T00:00:00Z'",
      },
      { filter: "Employee eq 'bob' and Spent gt datetime'2026-02-20T00:00:00Z' and Amount gt 500" },
      { filter: "Spent gt datetime'2026-02-20T00:00:00Z'" },
      { filter: '' },
    ];
    const simulation = await simulate(expenses, { partitionKey: '{Employee}', rowKey: '{Spent:inverted}' }, queries);
    const plans = await expectMeasured(simulation, { table: 'expenses' });
    expect(Object.values(plans).sort()).toEqual(['partition scan', 'range', 'range', 'table scan', 'table scan']);
  });

  it('of measurements in buckets by hash, queried by device, and by time over all buckets', async () => {
    const measurements: readonly Row[] = Array.from({ length: 600 }, (_, at) => ({
      Device: `device${1 + Math.floor(random() * 60)}`,
      At: new Date(Date.UTC(2026, 4, 1) + at * 600_000),
      Value: Math.floor(random() * 100),
    }));
    const bucket = (device: string): string => digits(hashText(device) % 8, 1);
    await load('measurements', measurements, (row) => [
      `${bucket(String(row['Device']))}_${(row['At'] as Date).toISOString().slice(0, 10).replaceAll('-', '')}`,
      `${(row['At'] as Date).toISOString().slice(11, 19).replaceAll(':', '')}_${row['Device']}`,
    ]);
    const queries = [
      {
        filter: "Device eq 'device7' and At ge datetime'2026-05-02T00:00:00Z' and At lt datetime'2026-05-03T00:00:00Z'",
      },
      { filter: "At ge datetime'2026-05-02T06:00:00Z' and At lt datetime'2026-05-02T12:00:00Z'" },
      { filter: "Device eq 'device7'" },
      { filter: 'Value gt 95' },
    ];
    const design = { partitionKey: '{hash(Device,8)}_{At:yyyyMMdd}', rowKey: '{At:HHmmss}_{Device}' };
    await expectMeasured(await simulate(measurements, design, queries), { table: 'measurements' });
    const exact = { partitionKey: '{hash(Device,8)}', rowKey: '{At:yyyyMMddTHHmmss}_{Device}' };
    await load('measurementsByBucket', measurements, (row) => [
      bucket(String(row['Device'])),
      `${(row['At'] as Date).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}_${row['Device']}`,
    ]);
    const simulation = await simulate(measurements, exact, queries);
    const plans = await expectMeasured(simulation, { table: 'measurementsByBucket' });
    expect(Object.values(plans).filter((plan) => plan === 'range')).toHaveLength(2);
    const fanned = simulation.queries.find(({ example }) => example === queries[1]?.filter);
    expect(fanned?.design.filters).toHaveLength(8);
  });

  it('of orders by customer and a composed RowKey', async () => {
    const orders: readonly Row[] = Array.from({ length: 500 }, (_, at) => ({
      Customer: pick(['abc', 'ab', 'abd', 'b']),
      Product: pick(['pen', 'pencil', 'pe', 'z']),
      OrderNumber: at * 7,
      State: pick(['open', 'done']),
    }));
    await load('orders', orders, (row) => [
      `c-${row['Customer']}`,
      `${row['Product']}_${digits(Number(row['OrderNumber']), 8)}`,
    ]);
    const queries = [
      { filter: "Customer eq 'ab' and Product eq 'pen'" },
      { filter: "Customer eq 'ab' and Product ge 'pe' and Product lt 'pencil'" },
      { filter: "Customer eq 'abc' and Product gt 'pen'" },
      { filter: "Customer eq 'abc' and Product le 'pen'" },
      { filter: "Customer eq 'abc' and Product eq 'pe' and OrderNumber ge 700 and OrderNumber le 1400" },
      { filter: "Customer ge 'ab' and Customer lt 'abd'" },
      { filter: "Customer gt 'ab' and Customer le 'abd'" },
      { filter: "State eq 'open' and not (Customer eq 'b')" },
    ];
    const design = { partitionKey: 'c-{Customer}', rowKey: '{Product}_{OrderNumber:00000000}' };
    await expectMeasured(await simulate(orders, design, queries), { table: 'orders' });
  });
});

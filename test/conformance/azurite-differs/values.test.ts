// Values that do not fit their type, and values that Azurite stores in another form than the service does.

import { describe, expect, it } from 'vitest';
import { expectRefusal, refusal, unreadable } from '../../support/expect-refusal.ts';
import { accepting } from '../../support/expect-success.ts';
import { entityPath, startService } from '../../support/service.ts';
import type { WireAnswer } from '../../support/table-client.ts';

const service = await startService();
await service.createTable('values');
let rows = 0;

function insert(members: string): Promise<WireAnswer> {
  rows++;
  return service.send({ method: 'POST', path: '/values', body: `{"PartitionKey":"p","RowKey":"r${rows}",${members}}` });
}

/** The custom properties of the last row, as text. */
async function stored(): Promise<string> {
  const { body } = await service.get(entityPath('values', 'p', `r${rows}`));
  return /"Timestamp":"[^"]*"(?:,(.*))?}$/s.exec(body)?.[1] ?? '';
}

const typed = (type: string, value: string): string => `"v":${value},"v@odata.type":"Edm.${type}"`;

describe('A value that does not fit its type is refused, and the entity is not stored', () => {
  it.each([
    ['Guid', '"nope"'],
    ['Guid', '""'],
    ['Guid', '"12345678-1234-1234-1234-12345678901"'],
    ['Int64', '"abc"'],
    ['Int64', '"1.5"'],
    ['Int64', '"99999999999999999999"'],
    ['Int32', '"3000000000"'],
    ['Int32', '3000000000'],
    ['Int32', '1.5'],
    ['DateTime', '"not a date"'],
    ['DateTime', '"02.01.2020"'],
    ['DateTime', '""'],
    ['Double', '"12abc"'],
    ['Double', '"1e999"'],
    ['Binary', '"!!!notb64!!!"'],
    ['Boolean', '"maybe"'],
    ['Banana', '"x"'],
    ['Banana', '5'],
    ['Decimal', '"1.5"'],
    ['Decimal', '1.5'],
  ])('Edm.%s %s', async (type, value) => {
    expectRefusal(await insert(`"before":1,${typed(type, value)}`), unreadable);
    const path = entityPath('values', 'p', `r${rows}`);
    expectRefusal(await service.get(path), refusal('ResourceNotFound'));
    for (const method of ['PUT', 'MERGE']) {
      expectRefusal(await service.send({ method, path, body: `{${typed(type, value)}}` }), unreadable);
      expectRefusal(await service.get(path), refusal('ResourceNotFound'));
    }
  });

  it('Edm.DateTime before 1601', async () => {
    const message = "The 'v' parameter of value '01/01/1500 00:00:00' is out of range.";
    const expected = refusal('OutOfRangeInput', { message, stage: 'reading' });
    expectRefusal(await insert(typed('DateTime', '"1500-01-01T00:00:00Z"')), expected);
    expectRefusal(await service.get(entityPath('values', 'p', `r${rows}`)), refusal('ResourceNotFound'));
  });

  it.each(['"PartitionKey":5,"RowKey":"numeric"', '"PartitionKey":"p","RowKey":5', '"PartitionKey":true,"RowKey":"r"'])(
    'a key that is not a string: %s',
    async (keys) => {
      const answer = await service.send({ method: 'POST', path: '/values', body: `{${keys}}` });
      expectRefusal(answer, refusal('InvalidInput', { stage: 'reading' }));
    },
  );
});

describe('A DateTime with a zone offset', () => {
  it('is read back in UTC', async () => {
    expect((await insert(typed('DateTime', '"2020-01-02T03:04:05+02:00"'))).status).toBe(201);
    expect(await stored()).toBe('"v@odata.type":"Edm.DateTime","v":"2020-01-02T01:04:05Z"');
    const none = await service.get(entityPath('values', 'p', `r${rows}`), accepting('nometadata'));
    expect(none.body).toContain('"v":"2020-01-02T01:04:05Z"');
  });
});

describe('A number without an annotation', () => {
  it.each([
    // Such a large number is a Double, and is written as a Double.
    ['9223372036854775807', '9.2233720368547758E+18'],
    ['-9223372036854775808', '-9.2233720368547758E+18'],
    ['2147483648', '2147483648.0'],
    ['1.0', '1.0'],
    ['-1.0', '-1.0'],
    ['1e0', '1.0'],
    ['100.00', '100.0'],
    ['1', '1'],
  ])('%s is read back as %s', async (sent, read) => {
    const answer = await insert(`"v":${sent}`);
    expect(answer.status).toBe(201);
    expect(answer.body).toContain(`"v":${read}}`);
    expect(await stored()).toBe(`"v":${read}`);
  });
});

describe('Null', () => {
  it.each(['String', 'Boolean', 'Int32', 'Int64', 'Double', 'DateTime', 'Guid', 'Binary'])(
    'annotated as Edm.%s is accepted, and not stored',
    async (type) => {
      expect((await insert(`${typed(type, 'null')},"after":1`)).status).toBe(201);
      expect(await stored()).toBe('"after":1');
      const path = entityPath('values', 'p', `r${rows}`);
      expect((await service.send({ method: 'PUT', path, body: '{"v":1}' })).status).toBe(204);
      expect((await service.send({ method: 'MERGE', path, body: `{${typed(type, 'null')}}` })).status).toBe(204);
      expect(await stored()).toBe('"v":1');
    },
  );
});

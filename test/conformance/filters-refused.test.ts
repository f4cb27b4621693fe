import { describe, expect, it } from 'vitest';
import { expectRefusal, type Refusal, refusal } from '../support/expect-refusal.ts';
import { filterOption } from '../support/queries.ts';
import { startService } from '../support/service.ts';
import type { WireAnswer } from '../support/table-client.ts';

const service = await startService();
await service.createTable('pets');
await service.insert('pets', { n: 1, s: 'x', b: true });

function ask(filter: string, headers = {}): Promise<WireAnswer> {
  return service.get(`/pets()?${filterOption(filter)}`, headers);
}

/**
 * Returns the refusal of a filter with an error in its syntax or types. The service finds such an error when it parses
 * the filter. A refusal at this stage has no Cache-Control header.
 */
function fault(message: string): Refusal {
  return refusal('InvalidInput', { stage: 'reading', message });
}

describe('A filter with a syntax error is answered 400 InvalidInput', () => {
  it.each([
    // Recorded from the service.
    ['aaa bbb ccc', 7],
    ["property1 eq 1'invalid'", 23],
    // Concluded from the recorded ones.
    ['n EQ 1', 4],
    ['n eq 1 b', 8],
    ['n eq 1)', 7],
    ['n == 1', 3],
    ["s eq 'it's'", 10],
  ])('with the end of the unexpected token: %s', async (filter, position) => {
    expectRefusal(await ask(filter), fault(`Syntax error at position ${position} in '${filter}'.`));
  });

  it.each([
    // Recorded from the service.
    ["<class 'filter'>", '<', 0],
    // Concluded from the recorded ones.
    ['s eq "x"', '"', 5],
    ['n eq +5', '+', 5],
    ['n eq 1 && b', '&', 7],
    ['s eq \u2018x\u2019', '\u2018', 5],
  ])('with the character that starts no token: %s', async (filter, character, position) => {
    const message = `Syntax error: character '${character}' is not valid at position ${position} in '${filter}'.`;
    expectRefusal(await ask(filter), fault(message));
  });

  it.each([
    "s eq 'x",
    "datetime'2008-07-10T00:00:00Z",
    'n eq',
    'n eq 1 and',
    'and n eq 1',
    '(n eq 1',
    '()',
    'not',
    'n eq .5',
    'n eq 5.',
    'n eq 5e',
    '1',
    "'x'",
    'neq 1',
    "odata.etag eq 'x'",
    'n eq 1, b',
    'n in (1,2)',
  ])('with the text of ODataLib: %s', async (filter) => {
    const answer = await ask(filter);
    expect([answer.status, answer.header('Cache-Control')]).toEqual([400, undefined]);
    expect(answer.body).toContain('"odata.error":{"code":"InvalidInput"');
    expect(answer.body).not.toContain('One of the request inputs');
  });
});

describe('A literal that does not fit its type is answered 400 InvalidInput with its position', () => {
  it.each([
    ['Int32', '12222455555555155555'],
    ['Int32', '2147483648'],
    ['Int32', '-2147483649'],
    ['Int64', '9223372036854775808L'],
    ['Double', '1e999'],
    ['DateTime', "datetime'banana'"],
    ['DateTime', "datetime'2020-13-01T00:00:00Z'"],
    ['Guid', "guid'nope'"],
    ['Guid', "guid''"],
    ['Binary', "X'zz'"],
    ['Binary', "X'012'"],
    ['Binary', "binary'0'"],
  ])('Edm.%s %s', async (type, literal) => {
    for (const [filter, position] of [
      [`n eq ${literal}`, 5],
      [`b and (${literal} eq n)`, 7],
    ] as const) {
      expectRefusal(
        await ask(filter),
        fault(`Unrecognized 'Edm.${type}' literal '${literal}' at '${position}' in '${filter}'.`),
      );
    }
  });
});

describe('Incompatible types are answered 400 InvalidInput', () => {
  it.each([
    // Recorded from the service.
    ["(PartitionKey) and (RowKey ge 'x')", 'Edm.String', 'Edm.Boolean', 'And'],
    // Concluded from the recorded ones.
    ['PartitionKey eq 12345', 'Edm.String', 'Edm.Int32', 'Equal'],
    ['PartitionKey ne 1L', 'Edm.String', 'Edm.Int64', 'NotEqual'],
    ['RowKey lt 1.5', 'Edm.String', 'Edm.Double', 'LessThan'],
    ['RowKey le true', 'Edm.String', 'Edm.Boolean', 'LessThanOrEqual'],
    ["Timestamp gt '2020-01-01'", 'Edm.DateTime', 'Edm.String', 'GreaterThan'],
    ["X'00' ge PartitionKey", 'Edm.Binary', 'Edm.String', 'GreaterThanOrEqual'],
    ["b or 'x'", '<null>', 'Edm.String', 'Or'],
  ])('%s', async (filter, left, right, operatorKind) => {
    const found = `Found operand types '${left}' and '${right}' for operator kind '${operatorKind}'.`;
    // The type name of an operand without a type is assumed.
    if (left === '<null>') {
      const answer = await ask(filter);
      expect([answer.status, answer.header('Cache-Control')]).toEqual([400, undefined]);
      expect(answer.body).toContain('A binary operator with incompatible types was detected.');
    } else expectRefusal(await ask(filter), fault(`A binary operator with incompatible types was detected. ${found}`));
  });

  it.each(['PartitionKey', 'not RowKey', 'Timestamp'])('for a key used as a Boolean: %s', async (filter) => {
    const answer = await ask(filter);
    expect([answer.status, answer.header('Cache-Control')]).toEqual([400, undefined]);
    expect(answer.body).toContain('"code":"InvalidInput"');
  });
});

describe('null', () => {
  it.each(['n eq null', 'n ne null', 'null eq n', 'Missing eq null', "PartitionKey eq 'p' and n ne null"])(
    'in a comparison of equality is answered 400 InvalidInput with Cache-Control: %s',
    async (filter) => {
      expectRefusal(await ask(filter), refusal('InvalidInput'));
    },
  );

  it.each([
    ['lt', 'LessThan'],
    ['le', 'LessThanOrEqual'],
    ['gt', 'GreaterThan'],
    ['ge', 'GreaterThanOrEqual'],
  ])('in a comparison of order is answered 400 InvalidInput with another text: %s', async (operator, kind) => {
    const message = `The operator '${kind}' is not supported for the 'null' literal; only equality checks are supported.`;
    expectRefusal(await ask(`n ${operator} null`), fault(message));
  });
});

describe('What the service does not implement is answered 501 NotImplemented with Cache-Control', () => {
  it.each([
    "startswith(s,'x')",
    "startswith(s,'x') eq true",
    "endswith(s,'x')",
    "substringof('x',s)",
    'length(s) eq 1',
    "tolower(s) eq 'x'",
    'year(Timestamp) eq 2020',
    "b and not startswith(RowKey, 'x')",
    'n add 1 eq 2',
    'n sub 1 eq 0',
    'n mul 2 eq 2',
    'n div 2 eq 0',
    'n mod 2 eq 1',
    'n eq s',
    'PartitionKey eq RowKey',
    '1 eq 2',
    "'a' ne 'b'",
    'b or 1 eq 1',
    // LINQ providers write this for a nullable member. The response is assumed.
    'n/HasValue eq true',
    'not n/HasValue',
  ])('%s', async (filter) => {
    expectRefusal(await ask(filter), refusal('NotImplemented'));
  });

  it('except a function that OData does not have: 400 InvalidInput', async () => {
    const answer = await ask("frobnicate(s,'x')");
    expect([answer.status, answer.header('Cache-Control')]).toEqual([400, undefined]);
    expect(answer.body).toContain("An unknown function with name 'frobnicate' was found.");
  });
});

describe('Before version 2016-05-31', () => {
  const faulty = [
    'aaa bbb ccc',
    "<class 'filter'>",
    'n eq 12222455555555155555',
    'PartitionKey eq 12345',
    'n lt null',
    "s eq 'x",
    'n eq null',
  ];

  it.each(faulty)('every InvalidInput has the same text: %s', async (filter) => {
    const answer = await ask(filter, { 'x-ms-version': '2015-12-11' });
    expect([answer.status, answer.body]).toEqual([
      400,
      expect.stringContaining(
        '"code":"InvalidInput","message":{"lang":"en-US","value":"One of the request inputs is not valid.\\n',
      ),
    ]);
    expect(answer.header('x-ms-version')).toBe('2015-12-11');
  });

  it('has details from 2016-05-31 on', async () => {
    const { body } = await ask('aaa bbb ccc', { 'x-ms-version': '2016-05-31' });
    expect(body).toContain("Syntax error at position 7 in 'aaa bbb ccc'.");
  });
});

describe('A refused filter', () => {
  it('is answered at the requested metadata level', async () => {
    for (const level of ['nometadata', 'fullmetadata']) {
      const answer = await ask('aaa bbb ccc', { Accept: `application/json;odata=${level}` });
      const contentType = `application/json;odata=${level};streaming=true;charset=utf-8`;
      expectRefusal(answer, fault("Syntax error at position 7 in 'aaa bbb ccc'."), { contentType });
    }
  });

  it('comes after authentication: a wrong signature is 403', async () => {
    const answer = await ask('aaa bbb ccc', { Authorization: 'SharedKeyLite devstoreaccount1:AAAA' });
    expect(answer.status).toBe(403);
  });

  it('is ignored if it is empty and the address has keys', async () => {
    expect((await service.get("/pets(PartitionKey='p',RowKey='r')?$filter=")).status).toBe(200);
  });
});

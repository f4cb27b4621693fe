import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EdmValue } from '../../../../src/model/edm.ts';
import type { Properties } from '../../../../src/model/properties.ts';
import { dateTimeTicksMin } from '../../../../src/model/ticks.ts';
import { anyState, insertion, keyOf, propertiesOf, tableNamed, textValue } from '../../../support/entities.ts';
import type { Given } from './given.ts';

const key = keyOf('types', 'row');
const int64Max = 2n ** 63n - 1n;
/** 9999-12-31T23:59:59.9999999Z in ticks. */
const dateTimeTicksMax = 3_155_378_975_999_999_999n;

const edges: Readonly<Record<EdmValue['type'], readonly EdmValue[]>> = {
  'Edm.String': [
    '',
    ' ',
    '\0',
    '"',
    '\\',
    '\\u0041',
    "'",
    '\n\r\t',
    'é漢😀',
    '\ud800',
    '\udc00a',
    '\uffff',
    '5',
    'null',
  ]
    .concat('x'.repeat(32_768))
    .map(textValue),
  'Edm.Boolean': [true, false].map((value) => ({ type: 'Edm.Boolean', value })),
  'Edm.Int32': [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)].map((value) => ({ type: 'Edm.Int32', value })),
  'Edm.Int64': [0n, -1n, 2n ** 53n + 1n, int64Max, -int64Max - 1n].map((value) => ({ type: 'Edm.Int64', value })),
  'Edm.Double': [0, -0, 1, 0.1, 1 / 3, 1e15, 1e16, 1e17, 123456789012345680, 1e21, 5e-324, 1.7976931348623157e308]
    .concat(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 53 + 2, -1e-5, 1e-4)
    .map((value) => ({ type: 'Edm.Double', value })),
  'Edm.DateTime': [dateTimeTicksMin, dateTimeTicksMin + 1n, 638_501_544_011_234_560n, dateTimeTicksMax].map(
    (value) => ({ type: 'Edm.DateTime', value }),
  ),
  'Edm.Guid': ['00000000-0000-0000-0000-000000000000', '0f8fad5b-d9cb-469f-a165-70867728950e'].map((value) => ({
    type: 'Edm.Guid',
    value,
  })),
  'Edm.Binary': [[], [0], [0, 1, 254, 255], Array<number>(65_536).fill(255)].map((bytes) => ({
    type: 'Edm.Binary',
    value: Buffer.from(bytes),
  })),
};

const anyEdm: fc.Arbitrary<EdmValue> = fc.oneof(
  fc.string({ unit: 'binary' }).map(textValue),
  fc.boolean().map((value): EdmValue => ({ type: 'Edm.Boolean', value })),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map((value): EdmValue => ({ type: 'Edm.Int32', value })),
  fc.bigInt({ min: -int64Max - 1n, max: int64Max }).map((value): EdmValue => ({ type: 'Edm.Int64', value })),
  fc.double().map((value): EdmValue => ({ type: 'Edm.Double', value })),
  fc
    .bigInt({ min: dateTimeTicksMin, max: dateTimeTicksMax })
    .map((value): EdmValue => ({ type: 'Edm.DateTime', value })),
  fc.uuid().map((value): EdmValue => ({ type: 'Edm.Guid', value })),
  fc.uint8Array().map((bytes): EdmValue => ({ type: 'Edm.Binary', value: Buffer.from(bytes) })),
);

const nameCharacters = [...'AZaz_09', 'é', '名', 'ß', '\u{1d400}', 'Ⅷ'];
const propertyName = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'Value', 'value', 'odata', 'Naïve', '名前'),
  fc.string({ unit: fc.constantFrom(...nameCharacters), maxLength: 12 }).map((text) => `N${text}`),
);

const anyProperties: fc.Arbitrary<Properties> = fc
  .uniqueArray(fc.tuple(propertyName, anyEdm), { selector: ([name]) => name, maxLength: 12 })
  .map((pairs) => new Map(pairs));

async function cameBack({ account }: Given, properties: Properties): Promise<Properties | undefined> {
  await account.apply('Types', [{ kind: 'insertOrReplace', ...key, properties }]);
  return propertiesOf(account, 'Types', key);
}

export function describeValues(given: () => Given): void {
  it.each(Object.entries(edges))('promise 10: the extreme values of %s are returned exactly', async (_, values) => {
    await given().account.createTable(tableNamed('Types'));
    const properties = new Map(values.map((value, index) => [`P${index}`, value]));
    expect(await cameBack(given(), properties)).toEqual(properties);
  });

  it('promise 10: any properties are returned exactly and in their order', async () => {
    await given().account.createTable(tableNamed('Types'));
    const holds = fc.asyncProperty(anyProperties, async (properties) => {
      const read = await cameBack(given(), properties);
      expect(read).toEqual(properties);
      expect([...(read ?? [])].map(([name]) => name)).toEqual([...properties.keys()]);
    });
    await fc.assert(holds, { numRuns: 150 });
  });

  it('promise 10: a merge does not change any other property', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Types'));
    const holds = fc.asyncProperty(anyProperties, anyProperties, async (old, sent) => {
      await account.apply('Types', [{ kind: 'insertOrReplace', ...key, properties: old }]);
      await account.apply('Types', [{ kind: 'merge', ...key, properties: sent, ifMatch: anyState }]);
      expect(await propertiesOf(account, 'Types', key)).toEqual(new Map([...old, ...sent]));
    });
    await fc.assert(holds, { numRuns: 150 });
  });

  it('promise 10: an entity without properties is returned without properties', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Types'));
    await account.apply('Types', [insertion(key, new Map())]);
    expect(await account.get('Types', key)).toMatchObject({ kind: 'found', entity: { ...key, properties: '' } });
  });
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EdmValue } from '../../../src/model/edm.ts';
import { entityBytes } from '../../../src/model/entity-limits.ts';
import { entityBytesMax } from '../../../src/model/limits.ts';
import {
  decodeProperties,
  decodeProperty,
  encodeEcho,
  encodeProperties,
  joinProperties,
  mergeIntoText,
  type Properties,
  type PropertiesText,
  sortProperties,
  splitProperties,
  withoutAnnotations,
} from '../../../src/model/properties.ts';
import { isStoredEntityTooLarge } from '../../../src/model/stored-entity-size.ts';
import { properties } from '../../support/arbitrary-values.ts';

/** The entries in a form for comparison, which distinguishes -0 from 0 and compares the content of buffers. */
function entriesOf(map: Properties): unknown[] {
  return [...map].map(([name, { type, value }]) => [
    name,
    type,
    Buffer.isBuffer(value) ? value.toString('hex') : value,
  ]);
}

/** The members of a stored text, found character by character. */
function membersOf(text: string): string[] {
  const members: string[] = [];
  let member = '';
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (isInString && char === '\\') {
      member += char + (text[++at] ?? '');
      continue;
    }
    if (char === '"') isInString = !isInString;
    if (char === ',' && !isInString) {
      members.push(member);
      member = '';
    } else {
      member += char;
    }
  }
  return text === '' ? [] : [...members, member];
}

const nameOf = (member: string): string => Object.keys(JSON.parse(`{${member}}`) as object)[0] ?? '';

describe('The stored text of properties', () => {
  it('reads back as the properties that were written', () => {
    fc.assert(
      fc.property(properties, (map) => {
        expect(entriesOf(decodeProperties(encodeProperties(map)))).toEqual(entriesOf(map));
      }),
      { numRuns: 500 },
    );
  });

  it('is ASCII, and the members of a JSON object', () => {
    fc.assert(
      fc.property(properties, (map) => {
        const text = encodeProperties(map);
        expect(text).toMatch(/^[\x20-\x7f]*$/);
        const names = new Set(Object.keys(JSON.parse(`{${text}}`) as object).filter((name) => !name.includes('@')));
        expect(names).toEqual(new Set(map.keys()));
      }),
    );
  });

  it('annotates only the types that JSON does not express', () => {
    const values: Record<string, EdmValue> = {
      s: { type: 'Edm.String', value: 'x' },
      b: { type: 'Edm.Boolean', value: false },
      i: { type: 'Edm.Int32', value: -1 },
      d: { type: 'Edm.Double', value: 1 },
      n: { type: 'Edm.Double', value: Number.NaN },
      l: { type: 'Edm.Int64', value: 1n },
      t: { type: 'Edm.DateTime', value: 630_822_816_000_000_000n },
      g: { type: 'Edm.Guid', value: 'a455c695-df98-5678-aaaa-81d3367e5a34' },
      x: { type: 'Edm.Binary', value: Buffer.from([1, 2]) },
    };
    expect(encodeProperties(new Map(Object.entries(values)))).toBe(
      '"s":"x","b":false,"i":-1,"d":1.0,"n@odata.type":"Edm.Double","n":"NaN","l@odata.type":"Edm.Int64","l":"1",' +
        '"t@odata.type":"Edm.DateTime","t":"2000-01-01T00:00:00Z","g@odata.type":"Edm.Guid","g":"a455c695-df98-5678-aaaa-81d3367e5a34",' +
        '"x@odata.type":"Edm.Binary","x":"AQI="',
    );
  });

  it('of no properties is empty', () => {
    expect(encodeProperties(new Map())).toBe('');
    expect(decodeProperties('').size).toBe(0);
    expect(splitProperties('')).toEqual([]);
    expect(withoutAnnotations('')).toBe('');
  });

  it('counts as damaged if a value does not fit its type', () => {
    expect(() => decodeProperties('"x@odata.type":"Edm.Int64","x":"y"')).toThrow('stored property x');
    expect(() => splitProperties('"x":1,oops')).toThrow('damaged');
  });
});

describe('splitProperties', () => {
  it('finds the same as a full parse', () => {
    fc.assert(
      fc.property(properties, (map) => {
        const text = encodeProperties(map);
        const expected: { name: string; text: string }[] = [];
        let annotation = '';
        for (const member of membersOf(text)) {
          const name = nameOf(member);
          if (name.endsWith('@odata.type')) {
            annotation = `${member},`;
            continue;
          }
          expected.push({ name, text: annotation + member });
          annotation = '';
        }
        expect(splitProperties(text)).toEqual(expected);
        expect(splitProperties(text).map(({ name }) => name)).toEqual([...map.keys()]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('withoutAnnotations', () => {
  it('removes the same as a full parse', () => {
    fc.assert(
      fc.property(properties, (map) => {
        const text = encodeProperties(map);
        const kept = membersOf(text).filter((member) => !nameOf(member).endsWith('@odata.type'));
        expect(withoutAnnotations(text)).toBe(kept.join(','));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['@odata.type":"Edm.Int64","x":"5'],
    ['","b@odata.type":"Edm.Int64","b":"'],
    ['\\'],
    ['\\"@odata.type":"Edm.'],
    ['a@odata.type'],
    ['\ud800@odata.type":"Edm.Guid",'],
  ])('keeps a string that looks like an annotation: %j', (value) => {
    const map = new Map<string, EdmValue>([
      ['before', { type: 'Edm.Int64', value: 1n }],
      ['x', { type: 'Edm.String', value }],
      ['caf\u00e9', { type: 'Edm.Int64', value: 2n }],
    ]);
    const members = JSON.parse(`{${withoutAnnotations(encodeProperties(map))}}`) as object;
    expect(members).toEqual({ before: '1', x: value, 'caf\u00e9': '2' });
  });
});

/** The text that a merge must result in, computed without a shortcut. */
const mergedAnew = (stored: PropertiesText, changes: Properties): Properties =>
  sortProperties(new Map([...decodeProperties(stored), ...changes]));

describe('Merging into stored text', () => {
  const key = { partitionKey: 'p', rowKey: 'r' };

  it('results in exactly the bytes that decoding, merging, sorting and encoding give', () => {
    fc.assert(
      fc.property(properties, properties, fc.boolean(), (current, changes, isSorted) => {
        const stored = encodeProperties(isSorted ? sortProperties(current) : current);
        const merged = mergeIntoText(stored, changes);
        expect(joinProperties(merged)).toBe(encodeProperties(mergedAnew(stored, changes)));
        expect(merged.map(({ name }) => name)).toEqual([...mergedAnew(stored, changes).keys()]);
      }),
      { numRuns: 1000 },
    );
  });

  it('leaves each property such that decodeProperties reads it', () => {
    fc.assert(
      fc.property(properties, (map) => {
        const read = new Map(splitProperties(encodeProperties(map)).map((one) => [one.name, decodeProperty(one)]));
        expect(entriesOf(read)).toEqual(entriesOf(map));
      }),
    );
  });

  it('measures the exact size of the merged entity, at the limit and a byte above it', () => {
    fc.assert(
      fc.property(properties, properties, fc.integer({ min: 0, max: 1 }), (current, changes, beyond) => {
        const stored = encodeProperties(current);
        // Binary values fill the entity up to the limit, because a binary value can have any size in bytes. The size of
        // a text is always even.
        const rest = entityBytesMax + beyond - entityBytes(key, mergedAnew(stored, changes));
        const filling = fillingOf(rest);
        const all: Properties = new Map([...changes, ...filling]);
        expect(entityBytes(key, mergedAnew(stored, all))).toBe(entityBytesMax + beyond);
        expect(isStoredEntityTooLarge(key, mergeIntoText(stored, all))).toBe(beyond === 1);
      }),
    );
  });
});

/** Properties with exactly this size. */
function fillingOf(bytes: number): Properties {
  const filling = new Map<string, EdmValue>();
  for (let left = bytes; left > 0; ) {
    const name = `~${filling.size}`;
    const frame = 8 + 2 * name.length + 4;
    const size = left > 120_000 ? 60_000 : left;
    filling.set(name, { type: 'Edm.Binary', value: Buffer.alloc(size - frame) });
    left -= size;
  }
  return filling;
}

describe('sortProperties', () => {
  it('orders by UTF-16 unit', () => {
    const names = ['b', 'B', '_', 'a', '\u{1f600}', '\uff21', '\u00e9', 'Z', 'aa'];
    const sorted = sortProperties(
      new Map(names.map((name): [string, EdmValue] => [name, { type: 'Edm.Boolean', value: true }])),
    );
    expect([...sorted.keys()]).toEqual(['B', 'Z', '_', 'a', 'aa', 'b', '\u00e9', '\u{1f600}', '\uff21']);
  });
});

describe('encodeEcho', () => {
  const moment: EdmValue = { type: 'Edm.DateTime', value: 630_822_816_000_000_000n };

  it('is the stored text if no DateTime has an offset', () => {
    expect(encodeEcho(new Map([['t', moment]]), 'stored')).toBe('stored');
  });

  it('repeats a DateTime as it was sent, and writes other values canonically', () => {
    const sent = new Map<string, EdmValue>([
      ['t', { ...moment, sentText: '2000-01-01T01:00:00+01:00' }],
      ['u', moment],
    ]);
    expect(encodeEcho(sent, 'stored')).toBe(
      '"t@odata.type":"Edm.DateTime","t":"2000-01-01T01:00:00+01:00","u@odata.type":"Edm.DateTime","u":"2000-01-01T00:00:00Z"',
    );
  });
});

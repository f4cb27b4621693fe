import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReadRow } from '../../../../../src/storage/sqlite/file/row-text.ts';
import {
  joinRowUnits,
  readRowUnits,
  rowUnitsBytes,
  visitOfRows,
} from '../../../../../src/storage/sqlite/scan/row-units.ts';
import { visitOf } from '../../../../../src/storage/visit-parts.ts';
import { expectVisit } from '../../expect-visit.ts';

/** Rows in the order of their partitions, with entities of several sizes. The keys are stored without an encoding. */
const rows: fc.Arbitrary<ReadRow[]> = fc
  .array(fc.array(fc.constantFrom(0, 900, 1023, 1024, 5000), { minLength: 1, maxLength: 40 }), { maxLength: 30 })
  .map((partitions) =>
    partitions.flatMap((sizes, partition) =>
      sizes.map((size) => new ReadRow(0, String.fromCharCode(97 + partition), '', 0, '0000000', 'x'.repeat(size))),
    ),
  );

const recordOf = ({ partitionKey, rowKey, properties }: ReadRow) => ({
  partitionKey,
  rowKey,
  properties,
  timestamp: '',
});

describe('the units of rows', () => {
  it('are those of their entities, partition by partition', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const { whole } = readRowUnits(all);
        expectVisit(whole, all.map(recordOf));
        // If two neighbouring parts together are large, they are not joined.
        const small = whole.parts.filter((part, at) => at < whole.parts.length - 1 && part.units * 16 < whole.units);
        for (const { partitionKey } of small) {
          const next = whole.parts[whole.parts.findIndex((part) => part.partitionKey === partitionKey) + 1];
          expect(next?.partitionUnits).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('are the same if parts are joined in any order', () => {
    const cuts = fc.array(fc.nat(1000), { maxLength: 5 });
    fc.assert(
      fc.property(rows, cuts, fc.boolean(), (all, cutsAt, isFromTheEnd) => {
        const places = [0, ...cutsAt.map((at) => at % (all.length + 1)).sort((a, b) => a - b), all.length];
        const parts = places.slice(1).map((end, at) => readRowUnits(all.slice(places[at], end)));
        const joined = isFromTheEnd
          ? parts.reduceRight((after, part) => joinRowUnits(part, after))
          : parts.reduce((before, part) => joinRowUnits(before, part));
        const { units, starts } = readRowUnits(all);
        expect([joined.units, joined.starts]).toEqual([units, starts]);
        expectVisit(joined.whole, all.map(recordOf));
        const bytes = parts.reduce((sum, part) => sum + rowUnitsBytes(part), 0);
        expect(rowUnitsBytes(joined)).toBeLessThanOrEqual(bytes);
      }),
    );
  });

  it('are right for the first rows, whether these are in one partition or in several', () => {
    fc.assert(
      fc.property(rows, fc.nat(1000), (all, cut) => {
        const end = cut % (all.length + 1);
        expect(visitOfRows(all, end)).toEqual(readRowUnits(all.slice(0, end)).whole);
      }),
    );
  });

  it('are available for any range of the rows', () => {
    fc.assert(
      fc.property(rows, fc.nat(1000), fc.nat(1000), (all, a, b) => {
        const [start = 0, end = 0] = [a % (all.length + 1), b % (all.length + 1)].sort((one, other) => one - other);
        const keyAt = (at: number): string => all[at]?.partitionKey ?? 'none';
        const known = (at: number): string | undefined => (at % 3 ? keyAt(at) : undefined);
        const visit = visitOf(readRowUnits(all), { start, end, keys: { known, at: keyAt } });
        expectVisit(visit, all.slice(start, end).map(recordOf));
      }),
    );
  });
});

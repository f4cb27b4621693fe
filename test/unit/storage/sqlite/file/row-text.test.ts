import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeProperties } from '../../../../../src/model/properties.ts';
import {
  ReadRow,
  readPartitionRowText,
  readRowText,
  readStateText,
} from '../../../../../src/storage/sqlite/file/row-text.ts';
import { migrations } from '../../../../../src/storage/sqlite/file/schema.ts';
import { prepareStatements } from '../../../../../src/storage/sqlite/file/statements.ts';

const properties = '"a":"line\\nfeed","b":1';

function withRow(ticks: bigint): ReturnType<typeof prepareStatements> {
  const database = new Database(':memory:');
  for (const migration of migrations) database.exec(migration);
  const statements = prepareStatements(database);
  statements.insertEntity.run(7, 'p é', 'r\u{10000}', ticks, properties);
  return statements;
}

test('a row is read as it was stored', () => {
  const statements = withRow(638_501_400_010_000_001n);
  const row = new ReadRow(1, 'p é', 'r\u{10000}', 63_850_140_001, '0000001', properties);
  expect(readRowText(statements.getRow.get(1) as string)).toEqual(row);
  const texts = statements.readPartitionFrom.all(7, 'p é', '', 10) as string[];
  expect(texts.map((text) => readPartitionRowText(text, 'p é'))).toEqual([{ ...row, id: 0 }]);
});

test('the ticks of the first and the last moment keep all their digits', () => {
  for (const ticks of [504_911_232_000_000_000n, 3_155_378_975_999_999_999n]) {
    const { seconds, fraction } = readStateText(withRow(ticks).getEntity.get(7, 'p é', 'r\u{10000}') as string);
    expect(BigInt(seconds) * 10_000_000n + BigInt(fraction)).toBe(ticks);
  }
});

test('the largest id that a JavaScript number can express is read exactly', () => {
  expect(readRowText(`\n${Number.MAX_SAFE_INTEGER}\n638501400010000001\n1\npr`).id).toBe(Number.MAX_SAFE_INTEGER);
});

test('an entity without properties has an empty text', () => {
  expect(readStateText('638501400010000001\n').properties).toBe('');
});

test('keys may contain line feeds, and characters of every length in UTF-8', () => {
  const key = 'a\n1\n\u0000é\u4e2d\u{10000}';
  const statements = withRow(638_501_400_010_000_001n);
  statements.insertEntity.run(7, key, key, 638_501_400_010_000_001n, '');
  const row = new ReadRow(2, key, key, 63_850_140_001, '0000001', '');
  expect(readRowText(statements.getRow.get(2) as string)).toEqual(row);
  const [text = ''] = statements.readPartitionFrom.all(7, key, '', 10) as string[];
  expect(readPartitionRowText(text, key)).toEqual({ ...row, id: 0 });
});

test('stored properties contain no line feed, whatever their names and values are', () => {
  const text = fc.string({ unit: fc.constantFrom('\n', '\r', '\u2028', '"', '\\', 'a') });
  fc.assert(
    fc.property(text, text, (name, value) => {
      return !encodeProperties(new Map([[name, { type: 'Edm.String', value }]])).includes('\n');
    }),
  );
});

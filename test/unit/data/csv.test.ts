import { expect, it } from 'vitest';
import { csvRecord } from '../../../src/data/csv.ts';

it('a record of CSV quotes what RFC 4180 requires, and distinguishes an empty text from an absent one', () => {
  expect(csvRecord(['a', undefined, '', '1.5', 'it"s', 'a,b', 'a\nb', ' a', "it's"])).toBe(
    'a,,"",1.5,"it""s","a,b","a\nb"," a",it\'s\r\n',
  );
});

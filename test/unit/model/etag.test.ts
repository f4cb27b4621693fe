import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEtagFormat, etagOf, etagOfAsJson, parseIfMatch } from '../../../src/model/etag.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import { dateTimeTicksMin, formatTicks } from '../../../src/model/ticks.ts';
import { dateTimeTicksMax } from '../../support/arbitrary-values.ts';

const anyTicks = fc.bigInt({ min: dateTimeTicksMin, max: dateTimeTicksMax });

describe('An ETag', () => {
  it('is the Timestamp in quotes, with encoded colons', () => {
    expect(etagOf('2020-09-22T17:13:23.580493Z')).toBe(`W/"datetime'2020-09-22T17%3A13%3A23.580493Z'"`);
  });

  it('is parsed to the moment from which it was made', () => {
    fc.assert(
      fc.property(anyTicks, (ticks) => {
        expect(parseIfMatch(etagOf(formatTicks(ticks)))).toEqual({ kind: 'unchanged', since: formatTicks(ticks) });
      }),
    );
  });

  it('is parsed in all forms that clients send', () => {
    const since = parseIfMatch(`W/"datetime'2020-09-22T17%3A13%3A23.58Z'"`);
    expect(parseIfMatch(`W/"datetime'2020-09-22T17%3a13%3a23.58Z'"`)).toEqual(since);
    expect(parseIfMatch(`W/"datetime'2020-09-22T17%3A13%3A23.5800000Z'"`)).toEqual(since);
  });

  it('may be *', () => {
    expect(parseIfMatch('*')).toEqual({ kind: 'any' });
  });
});

function refusalOf(header: string): ServiceError | undefined {
  try {
    parseIfMatch(header);
    return undefined;
  } catch (error) {
    return error instanceof ServiceError ? error : undefined;
  }
}

describe('A header that is not an ETag of the service', () => {
  it.each(['W/"wrong"', `W/"datetime''2017-01-01T00%3A00%3A00Z''"`, `W/"datetime'2017-13-01T00%3A00%3A00Z'"`, 'W/""'])(
    'and is weak and quoted, %s, is ConditionNotMet',
    (header) => {
      expect(refusalOf(header)).toMatchObject({ code: 'ConditionNotMet', stage: 'parse' });
    },
  );

  it.each(['test', '"strong"', 'W/x', ' *', '', `w/"datetime'2017-01-01T00%3A00%3A00Z'"`])(
    'and is not an ETag, %j, is InvalidInput that quotes it',
    (header) => {
      const refused = refusalOf(header);
      expect(refused).toMatchObject({ code: 'InvalidInput', stage: 'parse' });
      expect(refused?.message).toContain(`The etag value '${header}' specified`);
    },
  );

  it('is never parsed as an ETag', () => {
    fc.assert(
      fc.property(
        fc.string(),
        (header) => header === '*' || ['ConditionNotMet', 'InvalidInput'].includes(refusalOf(header)?.code ?? ''),
      ),
    );
  });
});

describe('The format of a page', () => {
  it('formats each ETag like etagOfAsJson, for any order of the timestamps', () => {
    const format = createEtagFormat();
    for (const timestamp of [
      '2024-05-01T10:00:01.123456Z',
      '2024-05-01T10:00:59Z',
      '2024-05-01T10:01:00.5Z',
      '2024-05-01T10:00:01Z',
      '0001-01-01T00:00:00Z',
    ]) {
      expect(format(timestamp)).toBe(etagOfAsJson(timestamp));
    }
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { etagOf, parseIfMatch } from '../../../src/model/etag.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import { dateTimeTicksMin, formatTicks } from '../../../src/model/ticks.ts';
import { dateTimeTicksMax } from '../../support/arbitrary-values.ts';

const anyTicks = fc.bigInt({ min: dateTimeTicksMin, max: dateTimeTicksMax });

describe('An ETag', () => {
  it('is the Timestamp in quotes of its own, colons encoded', () => {
    expect(etagOf('2020-09-22T17:13:23.580493Z')).toBe(`W/"datetime'2020-09-22T17%3A13%3A23.580493Z'"`);
  });

  it('reads back as the moment it was made from', () => {
    fc.assert(
      fc.property(anyTicks, (ticks) => {
        expect(parseIfMatch(etagOf(formatTicks(ticks)))).toEqual({ kind: 'unchanged', since: formatTicks(ticks) });
      }),
    );
  });

  it('reads back in the forms that clients make of it', () => {
    const since = parseIfMatch(`W/"datetime'2020-09-22T17%3A13%3A23.58Z'"`);
    expect(parseIfMatch(`W/"datetime'2020-09-22T17%3a13%3a23.58Z'"`)).toEqual(since);
    expect(parseIfMatch(`W/"datetime'2020-09-22T17%3A13%3A23.5800000Z'"`)).toEqual(since);
  });

  it('may be any', () => {
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

describe('A header that is no ETag of the service', () => {
  it.each(['W/"wrong"', `W/"datetime''2017-01-01T00%3A00%3A00Z''"`, `W/"datetime'2017-13-01T00%3A00%3A00Z'"`, 'W/""'])(
    'but weak and quoted, %s, is ConditionNotMet',
    (header) => {
      expect(refusalOf(header)).toMatchObject({ code: 'ConditionNotMet', stage: 'parse' });
    },
  );

  it.each(['test', '"strong"', 'W/x', ' *', '', `w/"datetime'2017-01-01T00%3A00%3A00Z'"`])(
    'at all, %j, is InvalidInput that quotes it',
    (header) => {
      const refused = refusalOf(header);
      expect(refused).toMatchObject({ code: 'InvalidInput', stage: 'parse' });
      expect(refused?.message).toContain(`The etag value '${header}' specified`);
    },
  );

  it('never passes for one', () => {
    fc.assert(
      fc.property(
        fc.string(),
        (header) => header === '*' || ['ConditionNotMet', 'InvalidInput'].includes(refusalOf(header)?.code ?? ''),
      ),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/model/service-error.ts';
import { errorFormat, jsonContentType, negotiateFormat } from '../../../src/protocol/payload-format.ts';

function outcome(accept: string | undefined, version = '2019-02-02', format?: string): string {
  const result = negotiateFormat({ accept, format, version });
  if (result instanceof ServiceError) return `${result.status} ${result.code}`;
  return result.kind === 'json' ? result.level : 'atom';
}

describe('The format of a response', () => {
  it.each([
    // Version, Accept, and the outcome.
    ['2019-02-02', 'application/json', 'minimal'],
    ['2019-02-02', 'application/json;odata=nometadata', 'none'],
    ['2019-02-02', 'application/json; odata=minimalmetadata', 'minimal'],
    ['2019-02-02', 'application/json;odata=fullmetadata', 'full'],
    ['2013-08-15', 'application/json;odata=fullmetadata', 'full'],
    ['2012-02-12', 'application/json;odata=fullmetadata', '415 JsonFormatNotSupported'],
    ['2019-02-02', 'application/json;odata=verbose', '415 JsonVerboseFormatNotSupported'],
    ['2019-02-02', '*/*', 'atom'],
    ['2015-07-08', '*/*', 'atom'],
    ['2019-02-02', undefined, '415 AtomFormatNotSupported'],
    ['2015-12-11', undefined, '415 AtomFormatNotSupported'],
    ['2015-07-08', undefined, 'atom'],
    ['2015-07-08', 'application/atom+xml', 'atom'],
    ['2015-12-11', 'application/atom+xml', '415 AtomFormatNotSupported'],
    ['2015-07-08', 'application/atom+xml,application/xml', 'atom'],
    ['2019-02-02', 'application/atom+xml, application/json', 'minimal'],
    ['2011-08-18', 'application/json, application/atom+xml', 'atom'],
    ['2019-02-02', 'text/html', '415 MediaTypeNotSupported'],
    ['2019-02-02', 'text/html;q=0.9, application/json;odata=nometadata;q=0.1', 'none'],
    ['2019-02-02', 'application/json;odata=nometadata;q=0', '415 MediaTypeNotSupported'],
    ['2019-02-02', 'application/json;odata=nometadata;q=much, application/json', 'minimal'],
    ['2019-02-02', ',,,', '415 MediaTypeNotSupported'],
    ['2019-02-02', 'application/json;odata=__proto__', 'minimal'],
    ['2019-02-02', 'application/json;odata=constructor', 'minimal'],
  ])('at version %s for Accept: %s is %s', (version, accept, expected) => {
    expect(outcome(accept, version)).toBe(expected);
  });

  it.each([
    ['json', 'minimal'],
    ['JSON', 'minimal'],
    ['application/json;odata=nometadata', 'none'],
    ['atom', '415 AtomFormatNotSupported'],
    ['xml', '415 MediaTypeNotSupported'],
    ['toString', '415 MediaTypeNotSupported'],
    ['constructor', '415 MediaTypeNotSupported'],
    ['__proto__', '415 MediaTypeNotSupported'],
    ['', '415 MediaTypeNotSupported'],
  ])('for $format=%s is %s, for any Accept', (format, expected) => {
    for (const accept of ['application/json;odata=fullmetadata', '*/*', undefined]) {
      expect(outcome(accept, '2019-02-02', format)).toBe(expected);
    }
  });
});

describe('A long Accept', () => {
  const json = 'application/json;odata=nometadata';

  it('is read up to its 32nd type', () => {
    expect(outcome(`${'text/html,'.repeat(31)}${json}`)).toBe('none');
    expect(outcome(`${'text/html,'.repeat(32)}${json}`)).toBe('415 MediaTypeNotSupported');
  });

  it('is read up to the eighth parameter of a type', () => {
    expect(outcome(`application/json${';a=1'.repeat(7)};odata=nometadata`)).toBe('none');
    expect(outcome(`application/json${';a=1'.repeat(8)};odata=nometadata`)).toBe('minimal');
  });

  it('is refused because of its first type', () => {
    const refused = negotiateFormat({ accept: 'a/b,c/d,'.repeat(7_000), format: undefined, version: '2019-02-02' });
    expect((refused as ServiceError).why[0]).toBe('Accept is "a/b".');
  });
});

describe('The format of an error', () => {
  it('is the requested one, or XML if that does not exist', () => {
    const kindOf = (accept: string | undefined): string =>
      errorFormat({ accept, format: undefined, version: '2019-02-02' }).kind;
    expect(['application/json', '*/*', undefined, 'text/html', 'application/atom+xml'].map(kindOf)).toEqual([
      'json',
      'atom',
      'atom',
      'atom',
      'atom',
    ]);
  });
});

describe('The Content-Type of JSON', () => {
  it.each([
    ['none', 'application/json;odata=nometadata;streaming=true;charset=utf-8'],
    ['minimal', 'application/json;odata=minimalmetadata;streaming=true;charset=utf-8'],
    ['full', 'application/json;odata=fullmetadata;streaming=true;charset=utf-8'],
  ] as const)('at level %s is %s', (level, expected) => {
    expect(jsonContentType(level)).toBe(expected);
  });

  it.each(['1.0', '2.0', '2.0;NetFx', ' 2.0;', '1.0;any'])('is not JSON below DataServiceVersion 3.0: %s', (sent) => {
    const wishes = { accept: 'application/json', format: undefined, version: '2015-04-05', dataServiceVersion: sent };
    expect(negotiateFormat(wishes)).toMatchObject({ code: 'JsonFormatNotSupported', status: 415 });
  });

  it.each([undefined, '3.0', '3.0;', '3.0;NetFx', 'whatever'])('is JSON at DataServiceVersion %s', (sent) => {
    const wishes = { accept: 'application/json', format: undefined, version: '2015-04-05', dataServiceVersion: sent };
    expect(negotiateFormat(wishes)).toEqual({ kind: 'json', level: 'minimal' });
  });
});

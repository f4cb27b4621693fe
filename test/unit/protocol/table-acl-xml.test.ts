import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../../../src/model/service-error.ts';
import { decodeTableAclXml, renderTableAclXml } from '../../../src/protocol/table-acl-xml.ts';
import { signedIdentifiers } from '../../support/arbitrary-service-properties.ts';

const declaration = '<?xml version="1.0" encoding="utf-8"?>';
const decode = (text: string) => decodeTableAclXml(Buffer.from(text));
const render = (list: Parameters<typeof renderTableAclXml>[0]): string => renderTableAclXml(list).toString();
const listOf = (...items: string[]): string => `<SignedIdentifiers>${items.join('')}</SignedIdentifiers>`;
const itemOf = (id: string, policy = ''): string => `<SignedIdentifier><Id>${id}</Id>${policy}</SignedIdentifier>`;
const policyOf = (content: string): string => listOf(itemOf('p', `<AccessPolicy>${content}</AccessPolicy>`));

describe('The body of Set Table ACL', () => {
  it('contains identifiers with and without policies, and each member of a policy is optional', () => {
    const body = `${declaration}
<SignedIdentifiers>
  <SignedIdentifier>
    <Id>nightly-readers</Id>
    <AccessPolicy>
      <Start>2024-01-01T00:00:00Z</Start><Expiry>2024-02-01T00:00:00.0000000Z</Expiry><Permission>r</Permission>
    </AccessPolicy>
  </SignedIdentifier>
  <SignedIdentifier><Id>empty-policy</Id><AccessPolicy/></SignedIdentifier>
  <SignedIdentifier><Id>none</Id></SignedIdentifier>
  <SignedIdentifier><AccessPolicy><Permission>rad</Permission><Expiry/><Start></Start></AccessPolicy><Id>turned</Id></SignedIdentifier>
</SignedIdentifiers>`;
    expect(decode(body)).toEqual([
      {
        id: 'nightly-readers',
        start: '2024-01-01T00:00:00.0000000Z',
        expiry: '2024-02-01T00:00:00.0000000Z',
        permission: 'r',
      },
      { id: 'empty-policy' },
      { id: 'none' },
      { id: 'turned', permission: 'rad' },
    ]);
  });

  it.each([
    '',
    '<SignedIdentifiers/>',
    '<SignedIdentifiers />',
    '<SignedIdentifiers></SignedIdentifiers>',
    '\ufeff<SignedIdentifiers> \r\n </SignedIdentifiers>',
    `${declaration}<SignedIdentifiers/>`,
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<SignedIdentifiers/>',
    "<?xml version='1.0' encoding='utf-8'?>\n<SignedIdentifiers />",
    '<SignedIdentifiers xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/>',
  ])('clears the list: %j', (body) => {
    expect(decode(body)).toEqual([]);
  });

  it.each([
    ['2011-10-11', '2011-10-11T00:00:00.0000000Z'],
    ['2016-01-01T00:05Z', '2016-01-01T00:05:00.0000000Z'],
    ['2016-01-01T01:02:03Z', '2016-01-01T01:02:03.0000000Z'],
    ['2016-01-01T01:02:03.1234567Z', '2016-01-01T01:02:03.1234567Z'],
    ['2016-01-01T01:02:03.5Z', '2016-01-01T01:02:03.5000000Z'],
    ['2016-01-01T01:02+02:00', '2015-12-31T23:02:00.0000000Z'],
    ['2016-01-01T01:02:03.25-08:30', '2016-01-01T09:32:03.2500000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.0000000Z'],
    ['\n  2016-01-01  \n', '2016-01-01T00:00:00.0000000Z'],
  ])('may contain the date %j', (sent, kept) => {
    expect(decode(policyOf(`<Start>${sent}</Start>`))).toEqual([{ id: 'p', start: kept }]);
    expect(decode(policyOf(`<Expiry>${sent}</Expiry>`))).toEqual([{ id: 'p', expiry: kept }]);
  });

  it.each([
    'tomorrow',
    '2016-1-1',
    '2016-02-30',
    '2016-13-01T00:00Z',
    '2016-01-01T24:00Z',
    '2016-01-01T00:00',
    '2016-01-01T00:00:00',
    '2016-01-01T00:00:00.12345678Z',
    '2016-01-01T00:00:00.Z',
    '2016-01-01 00:00Z',
    '2016-01-01T00:00z',
    '2016-01-01T00:00+15:00',
    '0000-01-01',
    '0001-01-01T00:00+02:00',
    'Mon, 15 Jan 2024 10:30:00 GMT',
  ])('is refused with InvalidXmlDocument for the date %s', (date) => {
    expect(() => decode(policyOf(`<Start>${date}</Start>`))).toThrow(invalidXmlDocument);
    expect(() => decode(policyOf(`<Expiry>${date}</Expiry>`))).toThrow(invalidXmlDocument);
  });

  it('may contain five case-sensitive identifiers of up to 64 characters', () => {
    const ids = ['x'.repeat(64), 'a', 'A', ' a', '&lt;&amp;&#233;\u4e2d'];
    expect(decode(listOf(...ids.map((id) => itemOf(id)))).map(({ id }) => id)).toEqual([
      ...ids.slice(0, 4),
      '<&\u00e9\u4e2d',
    ]);
  });

  it.each([
    ['six identifiers', listOf(...'abcdef'.split('').map((id) => itemOf(id)))],
    ['no Id', listOf('<SignedIdentifier><AccessPolicy/></SignedIdentifier>')],
    ['an empty Id', listOf(itemOf(''))],
    ['an Id of white space', listOf(itemOf(' \n '))],
    ['an Id of 65 characters', listOf(itemOf('x'.repeat(65)))],
    ['an Id with an element', listOf(itemOf('a<b/>'))],
    ['one Id twice', listOf(itemOf('a'), itemOf('b'), itemOf('a'))],
    ['two Ids in one', listOf('<SignedIdentifier><Id>a</Id><Id>b</Id></SignedIdentifier>')],
    ['two policies in one', listOf(itemOf('a', '<AccessPolicy/><AccessPolicy/>'))],
    ['a date twice', policyOf('<Start>2016-01-01</Start><Start>2016-01-01</Start>')],
    ['an unknown element in a policy', policyOf('<End>2016-01-01</End>')],
    ['an element in another case', policyOf('<start>2016-01-01</start>')],
    ['an unknown element with the Id', listOf(itemOf('a', '<Policy/>'))],
    ['an unknown element in the list', listOf(itemOf('a'), '<Identifier/>')],
    ['a letter that tables do not have', policyOf('<Permission>rw</Permission>')],
    ['a capital letter', policyOf('<Permission>R</Permission>')],
    ['a letter twice', policyOf('<Permission>raur</Permission>')],
    ['text between elements', listOf('and', itemOf('a'))],
    ['another root', '<SignedIdentifier/>'],
    ['a namespace', '<SignedIdentifiers xmlns="http://schemas.microsoft.com/"/>'],
    ['no end', '<SignedIdentifiers>'],
    ['white space alone', ' \n '],
    ['JSON', '{}'],
    ['a document type', '<!DOCTYPE x [<!ENTITY e "e">]><SignedIdentifiers/>'],
    ['an unknown entity', listOf(itemOf('&e;'))],
  ])('is refused with InvalidXmlDocument for %s', (_, body) => {
    expect(() => decode(body)).toThrow(invalidXmlDocument);
  });

  it('is refused if it is not UTF-8', () => {
    expect(() => decodeTableAclXml(Buffer.from(`${listOf(itemOf('\u00e9'))}`, 'latin1'))).toThrow(invalidXmlDocument);
  });
});

const invalidXmlDocument = expect.objectContaining({
  code: 'InvalidXmlDocument',
  status: 400,
  stage: 'frontEnd',
  message: 'XML specified is not syntactically valid.',
}) as ServiceError;

describe('The body of Get Table ACL', () => {
  it('of no policies is an empty element after a byte order mark and a declaration', () => {
    expect(render([])).toBe(`\ufeff${declaration}<SignedIdentifiers />`);
  });

  it('has the members of a policy in order, and no empty AccessPolicy', () => {
    const [start, expiry] = ['2016-01-01T00:00:00.0000000Z', '2016-05-01T00:00:00.0000000Z'];
    expect(render([{ id: 'test4', permission: 'raud', expiry, start }, { id: 'a&b' }])).toBe(
      `\ufeff${declaration}<SignedIdentifiers><SignedIdentifier><Id>test4</Id><AccessPolicy><Start>${start}</Start><Expiry>${expiry}</Expiry><Permission>raud</Permission></AccessPolicy></SignedIdentifier><SignedIdentifier><Id>a&amp;b</Id></SignedIdentifier></SignedIdentifiers>`,
    );
  });

  it('is parsed to the list that it contains', () => {
    fc.assert(
      fc.property(signedIdentifiers, (list) => {
        expect(decodeTableAclXml(renderTableAclXml(list))).toEqual(list);
      }),
    );
  });
});

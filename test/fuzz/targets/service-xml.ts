// Access policies of tables, and properties of the table service.

import fc from 'fast-check';
import { expect } from 'vitest';
import { decodeSignedIdentifiers, encodeSignedIdentifiers } from '../../../src/model/access-policy.ts';
import {
  decodeServiceProperties,
  defaultServiceProperties,
  encodeServiceProperties,
} from '../../../src/model/service-properties.ts';
import {
  decodeServicePropertiesXml,
  renderServicePropertiesXml,
} from '../../../src/protocol/service-properties-xml.ts';
import { decodeTableAclXml, renderTableAclXml } from '../../../src/protocol/table-acl-xml.ts';
import { serviceProperties, signedIdentifiers } from '../../support/arbitrary-service-properties.ts';
import { bytesOf, damaged, documentOf } from '../damage.ts';
import { outcomeOf, service } from '../emulator.ts';
import { type Outcome, readOrRefuse, target } from '../target.ts';

const table = 'policed';
const newest = '2019-02-02';
const oldest = '2012-02-12';

const tokens = [
  ...['<', '>', '&', '"', '/', '=', '</', '/>', '<!--', '-->', '<![CDATA[', ']]>', '<!DOCTYPE', '<?', '?>', ' ', ','],
  ...['<Id>', '</Id>', '<Id/>', '<Start/>', '<Cors/>', '<CorsRule>', '</CorsRule>', '<Days>7</Days>', '<Enabled>'],
  ...['&#x0;', '&#1;', '&#xD800;', '&lt;', '&x;', '\ufffe', '\ufeff', '*', '-', 'T', 'Z', 'true', '<a>'.repeat(3_000)],
];

interface Setting {
  readonly kind: 'policies' | 'properties';
  readonly version: string;
  readonly document: string;
}

const inputs: fc.Arbitrary<Setting> = fc.oneof(
  damaged(
    signedIdentifiers.map((list) => documentOf(renderTableAclXml(list))),
    tokens,
  ).map(
    (document): Setting => ({
      kind: 'policies',
      version: newest,
      document,
    }),
  ),
  fc.tuple(serviceProperties, fc.constantFrom(oldest, newest)).chain(([properties, version]) =>
    damaged(fc.constant(documentOf(renderServicePropertiesXml(properties, version))), tokens).map(
      (document): Setting => ({
        kind: 'properties',
        version,
        document,
      }),
    ),
  ),
);

/** Checks that policies that were read can be stored and returned, and then read the same. */
function readsPolicies(body: Buffer): boolean {
  const list = readOrRefuse(() => decodeTableAclXml(body), { stage: 'frontEnd' });
  if (list === undefined) return false;
  expect(decodeSignedIdentifiers(encodeSignedIdentifiers(list))).toEqual(list);
  expect(decodeTableAclXml(renderTableAclXml(list))).toEqual(list);
  return true;
}

function readsProperties(body: Buffer, version: string): boolean {
  const properties = readOrRefuse(() => decodeServicePropertiesXml(body, defaultServiceProperties, version), {
    stage: 'frontEnd',
  });
  if (properties === undefined) return false;
  expect(decodeServiceProperties(encodeServiceProperties(properties))).toEqual(properties);
  const again = renderServicePropertiesXml(properties, newest);
  expect(decodeServicePropertiesXml(again, defaultServiceProperties, newest)).toEqual(properties);
  return true;
}

const reads = ({ kind, version }: Setting, body: Buffer): boolean =>
  kind === 'policies' ? readsPolicies(body) : readsProperties(body, version);

let made: Promise<void> | undefined;

async function check(setting: Setting): Promise<Outcome> {
  const { kind, version, document } = setting;
  made ??= service.createTable(table);
  await made;
  const body = bytesOf(document);
  const isRead = reads(setting, body);
  const path = kind === 'policies' ? `/${table}?comp=acl` : '/?restype=service&comp=properties';
  const headers = { 'Content-Type': 'application/xml', 'x-ms-version': version };
  const outcome = outcomeOf(await service.send({ method: 'PUT', path, headers, body }));
  if (body.length > 0) expect(outcome).toBe(isRead ? 'accepted' : 'refused');
  if (outcome === 'accepted') expect((await service.get(path, { Accept: 'application/xml' })).status).toBe(200);
  return outcome;
}

export const serviceXml = target({
  name: 'service-xml',
  share: 6,
  inputs,
  check,
  decode: (setting: Setting) => reads(setting, bytesOf(setting.document)),
});

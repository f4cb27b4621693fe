import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeSignedIdentifiers, encodeSignedIdentifiers } from '../../../src/model/access-policy.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
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

const newest = '2019-02-02';
const oldest = '2012-02-12';
const tokens = fc.constantFrom(
  ...['<', '>', '&', '"', '/', '=', '</', '/>', '<!--', '-->', '<![CDATA[', ']]>', '<!DOCTYPE', '<?', '?>', ' ', ','],
  ...['<Id>', '</Id>', '<Id/>', '<Start/>', '<Cors/>', '<CorsRule>', '</CorsRule>', '<Days>7</Days>', '<Enabled>'],
  ...['&#x0;', '&#1;', '&#xD800;', '&lt;', '&x;', '\u0000', '\ufffe', '\ufeff', '\r', '9', '*', '-', 'T', 'Z', 'true'],
);
/** A position in the document, without the bias of fast-check towards its start. */
const offset = fc.noBias(fc.integer({ min: 0, max: 9_999 })).map((part) => part / 10_000);
const mutation = fc.record({
  at: offset,
  removed: fc.integer({ min: 0, max: 40 }),
  inserted: fc.oneof(
    tokens.map((token) => Buffer.from(token)),
    fc.uint8Array({ maxLength: 2 }),
  ),
});

function damage(document: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  return fc.tuple(document, fc.array(mutation, { minLength: 1, maxLength: 4 })).map(([bytes, changes]) =>
    changes.reduce((body, { at, removed, inserted }) => {
      const start = Math.floor(at * body.length);
      return Buffer.concat([body.subarray(0, start), inserted, body.subarray(start + removed)]);
    }, bytes),
  );
}

function readOrRefuse<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError && error.status === 400 && error.stage === 'frontEnd') return undefined;
    throw error;
  }
}

const numRuns = Number(process.env['RUNS'] ?? 5_000);

describe('A damaged document of a service-level operation', () => {
  it('is refused with an error of the service, or parses to policies that can be stored and returned', () => {
    fc.assert(
      fc.property(damage(signedIdentifiers.map(renderTableAclXml)), (body) => {
        const list = readOrRefuse(() => decodeTableAclXml(body));
        if (list === undefined) return;
        expect(decodeSignedIdentifiers(encodeSignedIdentifiers(list))).toEqual(list);
        expect(decodeTableAclXml(renderTableAclXml(list))).toEqual(list);
      }),
      { numRuns },
    );
  });

  it('is refused with an error of the service, or parses to properties that can be stored and returned', () => {
    const document = fc
      .tuple(serviceProperties, fc.constantFrom(oldest, newest))
      .map(([properties, version]) => renderServicePropertiesXml(properties, version));
    fc.assert(
      fc.property(damage(document), fc.constantFrom(oldest, newest), (body, version) => {
        const properties = readOrRefuse(() => decodeServicePropertiesXml(body, defaultServiceProperties, version));
        if (properties === undefined) return;
        expect(decodeServiceProperties(encodeServiceProperties(properties))).toEqual(properties);
        const again = renderServicePropertiesXml(properties, newest);
        expect(decodeServicePropertiesXml(again, defaultServiceProperties, newest)).toEqual(properties);
      }),
      { numRuns },
    );
  });
});

import { describe, expect, it } from 'vitest';
import type { Grant } from '../../../src/auth/grant.ts';
import { keyGrant } from '../../../src/auth/grant.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import { parseAddress } from '../../../src/protocol/address.ts';
import { authorizeOperation } from '../../../src/service/authorize-operation.ts';
import { type Operation, operation } from '../../../src/service/operation.ts';
import { findOperation, operationTable } from '../../../src/service/operation-table.ts';

const address = parseAddress('/acct/pets()', 'x', { scheme: 'http', isHostStyleKnown: false });
const signatures: readonly Grant[] = [
  { kind: 'accountSas', permissions: 'rwdlacu', resourceTypes: 'sco' },
  { kind: 'tableSas', permissions: 'raud', table: 'pets', range: undefined, isLegacy: false },
];

function codeOf(grant: Grant, planted: Pick<Operation, 'access'>): string | undefined {
  try {
    authorizeOperation(grant, planted, address);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

describe('An operation without an access rule', () => {
  const nothing = (): never => {
    throw new Error('must not run');
  };
  // @ts-expect-error: the compiler refuses an operation without an access rule before the test does.
  const planted = operation({
    name: 'QueryEntities',
    resource: 'entities',
    takesBody: false,
    decode: nothing,
    run: nothing,
    encode: nothing,
  });

  it.each(signatures)('is refused with a signature that allows everything: $kind', (grant) => {
    expect(codeOf(grant, planted)).toBe('AuthorizationFailure');
  });

  it('is allowed with a key of the account', () => {
    expect(codeOf(keyGrant, planted)).toBeUndefined();
  });
});

describe('The operations of the service', () => {
  it.each(operationTable.map(({ operation: { name, access } }) => [name, access]))(
    'have an access rule: %s',
    (_, access) => {
      expect(access).toMatchObject({ resourceType: expect.stringMatching(/^[sco]$/) });
    },
  );

  it('refuse an unknown request with its own error, with any signature', () => {
    const negotiated = { query: new Map(), isQueryReadable: true, isQueryRepetitive: false } as never;
    const meaningless = findOperation(address, negotiated, { method: 'PATCH', headers: {} });
    expect(meaningless.name).toBe('Unknown');
    for (const grant of signatures) expect(codeOf(grant, meaningless)).toBeUndefined();
    expect(() => meaningless.decode(undefined as never)).toThrow(ServiceError);
  });
});

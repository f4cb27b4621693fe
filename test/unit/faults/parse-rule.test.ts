import { describe, expect, it } from 'vitest';
import { failures } from '../../../src/faults/failures.ts';
import { UnusableRule } from '../../../src/faults/fields.ts';
import { parseRule, parseRules, parseRulesText } from '../../../src/faults/parse-rule.ts';

const fault = { kind: 'error', code: 'ServerBusy' };
const insert = { operation: 'InsertEntity' };
const query = { operation: 'QueryEntities' };

const whole = {
  name: 'ambiguous insert',
  match: {
    operation: 'InsertEntity',
    account: 'devstoreaccount1',
    table: 'orders*',
    partitionKey: 'p*',
    rowKey: '*',
    userAgent: '*',
    credential: '*Sas',
  },
  when: { nth: 3 },
  times: 10,
  fault: { kind: 'error', status: 503, code: 'ServerBusy', retryAfterSeconds: 1 },
};

describe('A rule', () => {
  it.each<readonly [string, unknown]>([
    ['with every member', whole],
    ['with a fault alone', { fault }],
    ...[
      { kind: 'error', code: 'AuthenticationFailed', status: 403 },
      { kind: 'error', code: 'EntityAlreadyExists', failedAt: 99 },
      { kind: 'timeout', at: 'afterCommit' },
      { kind: 'timeout', at: 'beforeCommit', ms: 600_000 },
      { kind: 'reset', at: 'midBody' },
      { kind: 'hang', at: 'afterCommit' },
      { kind: 'hang' },
      { kind: 'delay', ms: 200 },
      { kind: 'delay', p50Ms: 20, p99Ms: 900 },
      { kind: 'delay', p50Ms: 20, p99Ms: 20 },
      { kind: 'drip', bytesPerSecond: 1 },
      { kind: 'truncate', bytes: 0 },
      { kind: 'shortPage', entities: 0 },
      { kind: 'expireContinuation' },
      { kind: 'stale', ms: 5_000 },
    ].map((given) => [`of ${JSON.stringify(given)}`, { fault: given }] as const),
    ...[{ nth: 1 }, { first: 2 }, { every: 5 }, { probability: 0.1 }, { probability: 0 }, { probability: 1 }].map(
      (when) => [`when ${JSON.stringify(when)}`, { when, fault }] as const,
    ),
    ['with a pattern of operations', { match: { operation: '*Entity' }, fault: { kind: 'hang', at: 'afterCommit' } }],
    ['with an empty key', { match: { partitionKey: '' }, fault }],
  ])('%s is accepted unchanged', (_, given) => {
    expect(parseRule(given)).toEqual(given);
  });

  it.each<[string, unknown, string]>([
    ['no object', 5, ''],
    ['a list', [[]], '[0]'],
    ['nothing', null, ''],
    ['no fault', {}, 'fault'],
    ['an unknown member', { fault, extra: 1 }, 'extra'],
    ['an unknown member that every object has', JSON.parse('{"fault":{"kind":"hang"},"__proto__":{}}'), '__proto__'],
    ['an unknown member of match', { match: { tables: 'a' }, fault }, 'match.tables'],
    ['match as a text', { match: 'a', fault }, 'match'],
    ['an unknown operation', { match: { operation: 'Insert' }, fault }, 'match.operation'],
    ['an operation in another case', { match: { operation: 'insertentity' }, fault }, 'match.operation'],
    ['a pattern of no operation', { match: { operation: 'Blob*' }, fault }, 'match.operation'],
    ['a key that is not text', { match: { rowKey: 5 }, fault }, 'match.rowKey'],
    ['a pattern that is too long', { match: { rowKey: 'a'.repeat(1_025) }, fault }, 'match.rowKey'],
    ['an empty name', { name: '', fault }, 'name'],
    ['a name of 65 characters', { name: 'a'.repeat(65), fault }, 'name'],
    ['a name with a line break', { name: 'a\r\nb', fault }, 'name'],
    ['a name with half of a pair', { name: '\ud800', fault }, 'name'],
    ['an empty when', { when: {}, fault }, 'when.nth'],
    ['two members in when', { when: { nth: 1, first: 1 }, fault }, 'when.first'],
    ['an unknown member of when', { when: { always: true }, fault }, 'when.always'],
    ['nth 0', { when: { nth: 0 }, fault }, 'when.nth'],
    ['a part of a request', { when: { every: 1.5 }, fault }, 'when.every'],
    ['a probability above 1', { when: { probability: 1.1 }, fault }, 'when.probability'],
    ['a negative probability', { when: { probability: -0.1 }, fault }, 'when.probability'],
    ['a probability as a text', { when: { probability: '0.1' }, fault }, 'when.probability'],
    ['no number at all', { when: { probability: Number.NaN }, fault }, 'when.probability'],
    ['times 0', { times: 0, fault }, 'times'],
    ['an unknown kind', { fault: { kind: 'explode' } }, 'fault.kind'],
    ['a kind that every object has', { fault: { kind: 'toString' } }, 'fault.kind'],
    ['no kind', { fault: { code: 'ServerBusy' } }, 'fault.kind'],
    ['an unknown code', { fault: { kind: 'error', code: 'Busy' } }, 'fault.code'],
    ['a code that every object has', { fault: { kind: 'error', code: 'constructor' } }, 'fault.code'],
    ['no code', { fault: { kind: 'error', status: 503 } }, 'fault.code'],
    ['a status that is not the code’s', { fault: { ...fault, status: 500 } }, 'fault.status'],
    ['a negative pause', { fault: { ...fault, retryAfterSeconds: -1 } }, 'fault.retryAfterSeconds'],
    ['a member of another kind', { fault: { kind: 'hang', ms: 5 } }, 'fault.ms'],
    ['an unknown place', { fault: { kind: 'hang', at: 'midBody' } }, 'fault.at'],
    ['a negative time', { fault: { kind: 'delay', ms: -1 } }, 'fault.ms'],
    ['a time that is too long', { fault: { kind: 'delay', ms: 600_001 } }, 'fault.ms'],
    ['a timeout that takes too long', { fault: { kind: 'timeout', ms: 600_001 } }, 'fault.ms'],
    ['a delay without a time', { fault: { kind: 'delay' } }, 'fault.ms'],
    ['a median alone', { fault: { kind: 'delay', p50Ms: 5 } }, 'fault.p99Ms'],
    ['a percentile below the median', { fault: { kind: 'delay', p50Ms: 5, p99Ms: 4 } }, 'fault.p99Ms'],
    ['a percentile that is too long', { fault: { kind: 'delay', p50Ms: 5, p99Ms: 600_001 } }, 'fault.p99Ms'],
    ['two kinds of delay', { fault: { kind: 'delay', ms: 5, p50Ms: 4, p99Ms: 9 } }, 'fault.ms'],
    ['a standstill', { fault: { kind: 'drip', bytesPerSecond: 0 } }, 'fault.bytesPerSecond'],
    ['negative bytes', { fault: { kind: 'truncate', bytes: -1 } }, 'fault.bytes'],
    ['negative entities', { fault: { kind: 'shortPage', entities: -1 } }, 'fault.entities'],
    ['a negative age', { fault: { kind: 'stale', ms: -1 } }, 'fault.ms'],
    ['afterCommit on a read', { match: query, fault: { kind: 'timeout', at: 'afterCommit' } }, 'fault.at'],
    ['afterCommit on reads', { match: { operation: 'Get*' }, fault: { kind: 'reset', at: 'afterCommit' } }, 'fault.at'],
    ['a short page of a write', { match: insert, fault: { kind: 'shortPage', entities: 0 } }, 'fault.kind'],
    ['the continuation of a write', { match: insert, fault: { kind: 'expireContinuation' } }, 'fault.kind'],
    ['a stale write', { match: insert, fault: { kind: 'stale', ms: 1 } }, 'fault.kind'],
    ['a place in no batch', { match: insert, fault: { ...fault, failedAt: 0 } }, 'fault.failedAt'],
    ['a place that no batch has', { fault: { ...fault, failedAt: 100 } }, 'fault.failedAt'],
  ])('with %s is refused with the name of its field', (_, given, field) => {
    const attempt = (): unknown => parseRules(given);
    expect(attempt).toThrow(UnusableRule);
    expect(fieldOf(attempt)).toBe(field);
  });

  it('of a list is refused with its position', () => {
    expect(fieldOf(() => parseRules([{ fault }, { fault: { kind: 'delay', ms: -1 } }]))).toBe('[1].fault.ms');
    expect(fieldOf(() => parseRules([{ fault }, { match: query, fault: { kind: 'hang', at: 'afterCommit' } }]))).toBe(
      '[1].fault.at',
    );
  });

  it('may be one of at most 100', () => {
    expect(parseRules(Array.from({ length: 100 }, () => ({ fault })))).toHaveLength(100);
    expect(() => parseRules(Array.from({ length: 101 }, () => ({ fault })))).toThrow('at most 100 rules');
  });

  it('is read from JSON text, which may begin with a byte order mark', () => {
    expect(parseRulesText(`\ufeff${JSON.stringify([whole])}`)).toEqual([whole]);
    expect(() => parseRulesText('{ fault: 1 }')).toThrow('It is not JSON.');
  });

  it('exists for every failure, under its name', () => {
    for (const { name, rule } of failures) expect(parseRule(rule)).toEqual({ ...rule, name });
    expect(failures.map(({ name }) => name)).toEqual([
      'busy',
      'server-error',
      'timeout-before-commit',
      'timeout-after-commit',
      'reset-after-commit',
      'batch-reply-lost',
      'empty-page',
      'expired-continuation',
      'signature-expired',
      'slow',
      'hang',
      'cut-response',
    ]);
  });
});

function fieldOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
  } catch (error) {
    return error instanceof UnusableRule ? error.field : undefined;
  }
  return undefined;
}

// The schema that describes the body of POST /_emulator/faults. The schema checks nothing: the parser in src/faults
// reads the rules, and its error names the wrong field.

import { delayMsMax, nameCharsMax, rulesMax } from '../../faults/fault-rule.ts';

const pattern = (description: string) => ({ type: 'string', maxLength: 1_024, description }) as const;
const count = (description: string) => ({ type: 'integer', minimum: 1, description }) as const;
const time = (description: string) => ({ type: 'number', minimum: 0, maximum: delayMsMax, description }) as const;

const match = {
  type: 'object',
  additionalProperties: false,
  description:
    'Patterns in which * matches any text. A request without a value for a member does not match that member, not even if the pattern is *.',
  properties: {
    operation: pattern('The names of operations, as in the log.'),
    account: pattern('Accounts.'),
    table: pattern('Tables, in upper or lower case.'),
    partitionKey: pattern('Partition keys.'),
    rowKey: pattern('Row keys.'),
    userAgent: pattern('User-Agent headers.'),
    credential: pattern('key, accountSas, tableSas or bearer.'),
  },
} as const;

const when = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  description: 'Which of the matching requests are struck, counted from 1. By default, all are struck.',
  properties: {
    nth: count('Strikes only the request with this number.'),
    first: count('Strikes this many requests, from the first one.'),
    every: count('Strikes each request whose number is a multiple of this.'),
    probability: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description:
        'Strikes each request with this probability. The decision depends on the seed, the rule and the request, not on the order of requests.',
    },
  },
} as const;

const fault = {
  type: 'object',
  additionalProperties: false,
  required: ['kind'],
  description: 'What happens. docs/faults.md lists the members of each kind.',
  properties: {
    kind: {
      enum: [
        ...['error', 'timeout', 'reset', 'hang', 'delay', 'drip', 'truncate', 'shortPage', 'expireContinuation'],
        'stale',
      ],
      description: 'Kind of the fault.',
    },
    code: { type: 'string', description: 'error: a code of the service.' },
    status: { type: 'integer', description: 'error: the status of the code. You can leave it out.' },
    retryAfterSeconds: { type: 'integer', minimum: 0, description: 'error: adds the header Retry-After.' },
    failedAt: {
      type: 'integer',
      minimum: 0,
      maximum: 99,
      description: 'error of an EntityGroupTransaction: the 0-based index of the operation that fails.',
    },
    at: {
      enum: ['beforeCommit', 'afterCommit', 'midBody'],
      description: 'timeout, reset, hang: where it happens. The default is beforeCommit. midBody is only for reset.',
    },
    ms: time('delay: how long. timeout: how long the response takes. stale: the maximum age of the data.'),
    p50Ms: time('delay: the median, together with p99Ms.'),
    p99Ms: time('delay: the 99th percentile, not less than p50Ms.'),
    bytesPerSecond: count('drip: the pace of the body.'),
    bytes: { type: 'integer', minimum: 0, description: 'truncate: bytes of the body that are sent.' },
    entities: {
      type: 'integer',
      minimum: 0,
      maximum: 1_000,
      description: 'shortPage: the largest number of entities on the page.',
    },
  },
} as const;

export const faultsSchema = {
  type: ['object', 'array'],
  description: `A rule, or a list of at most ${rulesMax}.`,
  additionalProperties: false,
  required: ['fault'],
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: nameCharsMax,
      description: 'Identifies the rule in the log, in responses and in random decisions.',
    },
    match,
    when,
    times: count('The maximum number of requests that the rule strikes.'),
    fault,
  },
  maxItems: rulesMax,
  items: { type: 'object', description: 'A rule.' },
} as const;

import fc from 'fast-check';
import type { SignedIdentifier } from '../../src/model/access-policy.ts';
import {
  type CorsRule,
  corsMethods,
  type LoggingProperties,
  type MetricsProperties,
  type ServiceProperties,
} from '../../src/model/service-properties.ts';
import { formatTicksFull } from '../../src/model/ticks.ts';
import { dateTimeTicksMax, text } from './arbitrary-values.ts';

const moment = fc.bigInt({ min: 0n, max: dateTimeTicksMax }).map(formatTicksFull);
const permission = fc.shuffledSubarray(['r', 'a', 'u', 'd'], { minLength: 1 }).map((letters) => letters.join(''));

/** Makes every member of a record optional. */
const optional = { requiredKeys: [] as [] };

const policy = fc.record({ start: moment, expiry: moment, permission }, optional);
const id = fc.oneof(text, fc.constantFrom('<a>', 'a&b', ' x', '\t1\n', '\u0001')).filter((name) => name.trim() !== '');

export const signedIdentifiers: fc.Arbitrary<SignedIdentifier[]> = fc.uniqueArray(
  fc
    .tuple(
      id.filter((name) => name.length <= 64),
      policy,
    )
    .map(([name, terms]) => ({ id: name, ...terms })),
  { maxLength: 5, selector: (identifier) => identifier.id },
);

const retention = fc.record({ retentionDays: fc.integer({ min: 1, max: 365 }) }, optional);

const logging: fc.Arbitrary<LoggingProperties> = fc
  .tuple(fc.record({ read: fc.boolean(), write: fc.boolean(), delete: fc.boolean() }), retention)
  .map(([kinds, days]) => ({ ...kinds, ...days }));

const metrics: fc.Arbitrary<MetricsProperties> = fc
  .tuple(
    fc.constantFrom(
      { enabled: false, includesApis: false },
      { enabled: true, includesApis: false },
      { enabled: true, includesApis: true },
    ),
    retention,
  )
  .map(([level, days]) => ({ ...level, ...days }));

const item = fc.stringMatching(/^[a-z0-9\-.:/&<>]{1,12}$/);
const headers = fc
  .tuple(
    fc.array(item, { maxLength: 5 }),
    fc.array(
      item.map((name) => `${name}*`),
      { maxLength: 2 },
    ),
  )
  .map(([names, prefixes]) => [...names, ...prefixes]);

export const corsRule: fc.Arbitrary<CorsRule> = fc.record({
  allowedOrigins: fc.array(fc.oneof(item, fc.constant('*')), { minLength: 1, maxLength: 4 }),
  allowedMethods: fc.shuffledSubarray([...corsMethods], { minLength: 1 }),
  allowedHeaders: headers,
  exposedHeaders: headers,
  maxAgeSeconds: fc.integer({ min: 0, max: 2_000_000_000 }),
});

export const serviceProperties: fc.Arbitrary<ServiceProperties> = fc.record({
  logging,
  hourMetrics: metrics,
  minuteMetrics: metrics,
  cors: fc.array(corsRule, { maxLength: 5 }),
});

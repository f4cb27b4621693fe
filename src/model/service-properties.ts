// The properties of an account's table service: logging, metrics and CORS rules. They are plain data, and their values
// have been checked against the bounds in this file.

import {
  DamagedText,
  parseStored,
  storedBoolean,
  storedInteger,
  storedList,
  storedMembers,
  storedText,
} from './stored-json.ts';

export interface LoggingProperties {
  readonly read: boolean;
  readonly write: boolean;
  readonly delete: boolean;
  /** Absent if no retention policy is enabled. */
  readonly retentionDays?: number;
}

export interface MetricsProperties {
  readonly enabled: boolean;
  /** False if metrics are off. */
  readonly includesApis: boolean;
  /** Absent if no retention policy is enabled. */
  readonly retentionDays?: number;
}

export interface CorsRule {
  /** `*`, or origins in their exact spelling. */
  readonly allowedOrigins: readonly string[];
  readonly allowedMethods: readonly string[];
  /** Names, then prefixes that end in `*`. */
  readonly allowedHeaders: readonly string[];
  /** Names, then prefixes that end in `*`, as in allowedHeaders. */
  readonly exposedHeaders: readonly string[];
  readonly maxAgeSeconds: number;
}

export interface ServiceProperties {
  readonly logging: LoggingProperties;
  readonly hourMetrics: MetricsProperties;
  readonly minuteMetrics: MetricsProperties;
  readonly cors: readonly CorsRule[];
}

/** The properties of a new account. Evidence: recorded. */
export const defaultServiceProperties: ServiceProperties = {
  logging: { read: false, write: false, delete: false },
  hourMetrics: { enabled: true, includesApis: true, retentionDays: 7 },
  minuteMetrics: { enabled: false, includesApis: false },
  cors: [],
};

/** Evidence: documented (Set Table Service Properties). */
export const retentionDaysRange = { min: 1, max: 365 } as const;
/** Evidence: sdk (azure-rest-api-specs #11319). */
export const maxAgeSecondsRange = { min: 0, max: 2_000_000_000 } as const;

/** Evidence: documented (CORS support for Azure Storage). */
export const corsLimits = {
  rulesMax: 5,
  originsMax: 64,
  /** In one list, without the names that end in `*`. */
  literalHeadersMax: 64,
  prefixedHeadersMax: 2,
  itemCharsMax: 256,
  /** Length of all rules together, without their tags. */
  rulesBytesMax: 2048,
} as const;

/**
 * The methods that a CORS rule can allow. Evidence: documented (CORS support for Azure Storage); sdk
 * (azure-storage-net: TRACE and CONNECT); PATCH is assumed by analogy with the Blob service.
 */
export const corsMethods: readonly string[] = 'DELETE GET HEAD MERGE POST OPTIONS PUT PATCH TRACE CONNECT'.split(' ');

export function encodeServiceProperties({ logging, hourMetrics, minuteMetrics, cors }: ServiceProperties): string {
  return JSON.stringify({ logging, hourMetrics, minuteMetrics, cors });
}

/** Decodes the output of encodeServiceProperties. Throws DamagedText for anything else. */
export function decodeServiceProperties(text: string): ServiceProperties {
  return parseStored(text, (value) => {
    const { logging, hourMetrics, minuteMetrics, cors } = storedMembers(value);
    return {
      logging: storedLogging(logging),
      hourMetrics: storedMetrics(hourMetrics),
      minuteMetrics: storedMetrics(minuteMetrics),
      cors: storedList(cors, storedRule),
    };
  });
}

function storedLogging(value: unknown): LoggingProperties {
  const members = storedMembers(value);
  return {
    read: storedBoolean(members['read']),
    write: storedBoolean(members['write']),
    delete: storedBoolean(members['delete']),
    ...storedRetention(members['retentionDays']),
  };
}

function storedMetrics(value: unknown): MetricsProperties {
  const members = storedMembers(value);
  return {
    enabled: storedBoolean(members['enabled']),
    includesApis: storedBoolean(members['includesApis']),
    ...storedRetention(members['retentionDays']),
  };
}

function storedRetention(days: unknown): { readonly retentionDays?: number } {
  return days === undefined ? {} : { retentionDays: storedInteger(days, retentionDaysRange) };
}

function storedRule(value: unknown): CorsRule {
  const members = storedMembers(value);
  return {
    allowedOrigins: storedList(members['allowedOrigins'], storedText),
    allowedMethods: storedList(members['allowedMethods'], storedMethod),
    allowedHeaders: storedList(members['allowedHeaders'], storedText),
    exposedHeaders: storedList(members['exposedHeaders'], storedText),
    maxAgeSeconds: storedInteger(members['maxAgeSeconds'], maxAgeSecondsRange),
  };
}

function storedMethod(value: unknown): string {
  const method = storedText(value);
  if (!corsMethods.includes(method)) throw new DamagedText('not a method');
  return method;
}

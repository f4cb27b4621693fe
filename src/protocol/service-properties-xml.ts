// The documents of Get and Set Table Service Properties and of Get Table Service Stats. If the document in a Set
// request does not mention a property, the property keeps its value. cors-rule-xml.ts reads the CORS rules.

import { quote } from '../model/printable-text.ts';
import {
  type LoggingProperties,
  type MetricsProperties,
  retentionDaysRange,
  type ServiceProperties,
} from '../model/service-properties.ts';
import { readCorsRules, renderCorsRules } from './cors-rule-xml.ts';
import {
  elementText,
  invalidXmlDocument,
  membersOf,
  readServiceXml,
  renderElement,
  renderServiceXml,
  required,
} from './service-xml.ts';
import type { XmlElement } from './xml-reader.ts';

/** The first version with minute metrics, CORS rules and partial updates. */
const wholeVersion = '2013-08-15';
const rootName = 'StorageServiceProperties';

/**
 * Applies the body of Set Table Service Properties to the current properties: each part in the body replaces the stored
 * part. Throws InvalidXmlNodeValue for a wrong value in a CORS rule, and InvalidXmlDocument for other faults. Evidence:
 * recorded; documented (Set Table Service Properties); a document without parts is refused as in the Blob service
 * (azure-storage-python #540).
 */
export function decodeServicePropertiesXml(
  body: Buffer,
  current: ServiceProperties,
  version: string,
): ServiceProperties {
  const root = readServiceXml(body, rootName);
  if (version < wholeVersion) return { ...current, ...readFirstForm(root) };
  const parts = membersOf(root, ['Logging', 'HourMetrics', 'MinuteMetrics', 'Cors']);
  if (Object.keys(parts).length === 0) {
    throw invalidXmlDocument('The document has none of Logging, HourMetrics, MinuteMetrics and Cors.');
  }
  const { Logging, HourMetrics, MinuteMetrics, Cors } = parts;
  return {
    logging: Logging ? readLogging(Logging) : current.logging,
    hourMetrics: HourMetrics ? readMetrics(HourMetrics) : current.hourMetrics,
    minuteMetrics: MinuteMetrics ? readMetrics(MinuteMetrics) : current.minuteMetrics,
    cors: Cors ? readCorsRules(Cors) : current.cors,
  };
}

/** Evidence: documented. */
function readFirstForm(root: XmlElement): Pick<ServiceProperties, 'logging' | 'hourMetrics'> {
  const { Logging, Metrics } = membersOf(root, ['Logging', 'Metrics']);
  return { logging: readLogging(required(Logging, 'Logging')), hourMetrics: readMetrics(required(Metrics, 'Metrics')) };
}

function readLogging(element: XmlElement): LoggingProperties {
  const parts = membersOf(element, ['Version', 'Read', 'Write', 'Delete', 'RetentionPolicy']);
  checkVersion(parts.Version);
  return {
    read: readBoolean(parts.Read, 'Read'),
    write: readBoolean(parts.Write, 'Write'),
    delete: readBoolean(parts.Delete, 'Delete'),
    ...readRetention(parts.RetentionPolicy),
  };
}

function readMetrics(element: XmlElement): MetricsProperties {
  const parts = membersOf(element, ['Version', 'Enabled', 'IncludeAPIs', 'RetentionPolicy']);
  checkVersion(parts.Version);
  const enabled = readBoolean(parts.Enabled, 'Enabled');
  return {
    enabled,
    // IncludeAPIs is ignored if metrics are disabled. Evidence: documented (Set Table Service Properties).
    includesApis: enabled && readBoolean(parts.IncludeAPIs, 'IncludeAPIs'),
    ...readRetention(parts.RetentionPolicy),
  };
}

/** Evidence: sdk (azure-cli #13232) for logging; assumed for metrics. */
function checkVersion(element: XmlElement | undefined): void {
  if (elementText(required(element, 'Version')).trim() !== '1.0') throw invalidXmlDocument('<Version> must be 1.0.');
}

/** Evidence: recorded (`true` and `True`); any other case is assumed. */
function readBoolean(element: XmlElement | undefined, name: string): boolean {
  const text = elementText(required(element, name)).trim().toLowerCase();
  if (text !== 'true' && text !== 'false')
    throw invalidXmlDocument(`<${name}> is ${quote(text)}; it must be true or false.`);
  return text === 'true';
}

function readRetention(element: XmlElement | undefined): { readonly retentionDays?: number } {
  const { Enabled, Days } = membersOf(required(element, 'RetentionPolicy'), ['Enabled', 'Days']);
  if (readBoolean(Enabled, 'Enabled')) return { retentionDays: readDays(elementText(required(Days, 'Days')).trim()) };
  // Evidence: sdk (giovanni #60: the Queue service refuses days in a policy that is disabled).
  if (Days !== undefined) throw invalidXmlDocument('A <RetentionPolicy> that is not enabled has <Days>.');
  return {};
}

/** Evidence: recorded (366 days are refused). */
function readDays(text: string): number {
  const days = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  const { min, max } = retentionDaysRange;
  if (days < min || days > max) throw invalidXmlDocument(`<Days> is ${quote(text)}; ${min} to ${max} are allowed.`);
  return days;
}

/** The body of Get Table Service Properties. Evidence: recorded; the form before 2013-08-15 is documented. */
export function renderServicePropertiesXml(properties: ServiceProperties, version: string): Buffer {
  const { logging, hourMetrics, minuteMetrics, cors } = properties;
  const parts =
    version < wholeVersion
      ? [renderLogging(logging), renderMetrics('Metrics', hourMetrics)]
      : [
          renderLogging(logging),
          renderMetrics('HourMetrics', hourMetrics),
          renderMetrics('MinuteMetrics', minuteMetrics),
          renderCorsRules(cors),
        ];
  return renderServiceXml(renderElement(rootName, parts.join('')));
}

const renderedVersion = renderElement('Version', '1.0');

function renderLogging(logging: LoggingProperties): string {
  const kinds =
    renderElement('Read', String(logging.read)) +
    renderElement('Write', String(logging.write)) +
    renderElement('Delete', String(logging.delete));
  return renderElement('Logging', renderedVersion + kinds + renderRetention(logging.retentionDays));
}

function renderMetrics(name: string, { enabled, includesApis, retentionDays }: MetricsProperties): string {
  const apis = enabled ? renderElement('IncludeAPIs', String(includesApis)) : '';
  return renderElement(
    name,
    renderedVersion + renderElement('Enabled', String(enabled)) + apis + renderRetention(retentionDays),
  );
}

function renderRetention(days: number | undefined): string {
  const enabled = renderElement('Enabled', String(days !== undefined));
  return renderElement('RetentionPolicy', days === undefined ? enabled : enabled + renderElement('Days', String(days)));
}

export interface ServiceStats {
  readonly status: 'live' | 'bootstrap' | 'unavailable';
  /** The secondary has all writes before this moment. Known only while the secondary is live. */
  readonly lastSyncMs?: number;
}

/** The body of Get Table Service Stats. Evidence: recorded (`live`, and `unavailable` with its empty time). */
export function renderServiceStatsXml({ status, lastSyncMs }: ServiceStats): Buffer {
  const time = status === 'live' && lastSyncMs !== undefined ? new Date(lastSyncMs).toUTCString() : '';
  const replication = renderElement('Status', status) + renderElement('LastSyncTime', time);
  return renderServiceXml(renderElement('StorageServiceStats', renderElement('GeoReplication', replication)));
}

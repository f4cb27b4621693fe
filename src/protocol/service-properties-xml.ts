// The document of Get and Set Table Service Properties: read, with what it does not mention left as it is, and rendered
// in the service's order. What a CORS rule may hold is in cors-rule-xml.ts.

import {
  type LoggingProperties,
  type MetricsProperties,
  retentionDaysRange,
  type ServiceProperties,
} from '../model/service-properties.ts';
import { readCorsRules, renderCorsRules } from './cors-rule-xml.ts';
import {
  invalidXmlDocument,
  membersOf,
  readServiceXml,
  renderElement,
  renderServiceXml,
  required,
  textOf,
} from './service-xml.ts';
import type { XmlElement } from './xml-reader.ts';

/** The first version with metrics by the minute and CORS rules; before it there is one kind of metrics, and no partial update. */
const wholeVersion = '2013-08-15';
const rootName = 'StorageServiceProperties';

/**
 * Reads the body of Set Table Service Properties into the current properties: a part that is present replaces the
 * stored one. Throws InvalidXmlDocument, and InvalidXmlNodeValue for a bad value in a CORS rule.
 * Evidence: recorded, documented; the refusal of a document with no part is the Blob service's (azure-storage-python #540).
 */
export function decodeServicePropertiesXml(
  body: Buffer,
  current: ServiceProperties,
  version: string,
): ServiceProperties {
  const root = readServiceXml(body, rootName);
  if (version < wholeVersion) return { ...current, ...readFirstForm(root) };
  const parts = membersOf(root, ['Logging', 'HourMetrics', 'MinuteMetrics', 'Cors']);
  if (Object.keys(parts).length === 0) throw invalidXmlDocument();
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
  return { logging: readLogging(required(Logging)), hourMetrics: readMetrics(required(Metrics)) };
}

function readLogging(element: XmlElement): LoggingProperties {
  const parts = membersOf(element, ['Version', 'Read', 'Write', 'Delete', 'RetentionPolicy']);
  checkVersion(parts.Version);
  return {
    read: readBoolean(parts.Read),
    write: readBoolean(parts.Write),
    delete: readBoolean(parts.Delete),
    ...readRetention(parts.RetentionPolicy),
  };
}

function readMetrics(element: XmlElement): MetricsProperties {
  const parts = membersOf(element, ['Version', 'Enabled', 'IncludeAPIs', 'RetentionPolicy']);
  checkVersion(parts.Version);
  const enabled = readBoolean(parts.Enabled);
  return {
    enabled,
    // Beside disabled metrics it is ignored. Evidence: documented.
    includesApis: enabled && readBoolean(parts.IncludeAPIs),
    ...readRetention(parts.RetentionPolicy),
  };
}

/** Evidence: azure-cli #13232 for logging; the same of metrics is assumed. */
function checkVersion(element: XmlElement | undefined): void {
  if (textOf(required(element)).trim() !== '1.0') throw invalidXmlDocument();
}

/** Evidence: recorded in lower case and with a capital; any other case is assumed. */
function readBoolean(element: XmlElement | undefined): boolean {
  const text = textOf(required(element)).trim().toLowerCase();
  if (text !== 'true' && text !== 'false') throw invalidXmlDocument();
  return text === 'true';
}

function readRetention(element: XmlElement | undefined): { readonly retentionDays?: number } {
  const { Enabled, Days } = membersOf(required(element), ['Enabled', 'Days']);
  if (readBoolean(Enabled)) return { retentionDays: readDays(textOf(required(Days)).trim()) };
  // Evidence: seen of the Queue service (giovanni #60): days are only expected of a policy that is enabled.
  if (Days !== undefined) throw invalidXmlDocument();
  return {};
}

/** Evidence: recorded (366 days are refused). */
function readDays(text: string): number {
  const days = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (days < retentionDaysRange.min || days > retentionDaysRange.max) throw invalidXmlDocument();
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

import { quote } from '../model/printable-text.ts';
import { type CorsRule, corsLimits, corsMethods, maxAgeSecondsRange } from '../model/service-properties.ts';
import {
  elementText,
  invalidXmlDocument,
  invalidXmlNodeValue,
  itemsOf,
  membersOf,
  renderContainer,
  renderElement,
  renderTextElement,
  required,
} from './service-xml.ts';
import type { XmlElement } from './xml-reader.ts';

/**
 * Reads the CORS rules in the body of Set Table Service Properties. Throws InvalidXmlDocument if the element is not a
 * list of at most five rules, and InvalidXmlNodeValue for a value that a rule must not have. Evidence: recorded (the
 * number of rules); sdk (azure-storage-net, TableAnalyticsUnitTests: the limits of a list); all other error codes are
 * assumed.
 */
export function readCorsRules(element: XmlElement): CorsRule[] {
  const items = itemsOf(element, 'CorsRule');
  if (items.length > corsLimits.rulesMax) {
    throw invalidXmlDocument(`There are ${items.length} CORS rules; ${corsLimits.rulesMax} are allowed.`);
  }
  const rules = items.map(readRule);
  const bytes = rules.reduce((sum, rule) => sum + bytesOf(rule), 0);
  if (bytes > corsLimits.rulesBytesMax) {
    throw invalidXmlDocument(`The CORS rules have ${bytes} bytes; ${corsLimits.rulesBytesMax} are allowed.`);
  }
  return rules;
}

function readRule(element: XmlElement): CorsRule {
  const parts = membersOf(element, [
    'AllowedOrigins',
    'AllowedMethods',
    'AllowedHeaders',
    'ExposedHeaders',
    'MaxAgeInSeconds',
  ]);
  const [origins, methods] = [
    required(parts.AllowedOrigins, 'AllowedOrigins'),
    required(parts.AllowedMethods, 'AllowedMethods'),
  ];
  const [allowed, exposed] = [
    required(parts.AllowedHeaders, 'AllowedHeaders'),
    required(parts.ExposedHeaders, 'ExposedHeaders'),
  ];
  const age = required(parts.MaxAgeInSeconds, 'MaxAgeInSeconds');
  return {
    allowedOrigins: readOrigins(origins),
    allowedMethods: readMethods(methods),
    allowedHeaders: readHeaders(allowed),
    exposedHeaders: readHeaders(exposed),
    maxAgeSeconds: readMaxAge(elementText(age).trim()),
  };
}

/** Evidence: documented (space around items); that an empty item is ignored is assumed. */
function readList(element: XmlElement): string[] {
  const items = elementText(element)
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (items.some((item) => item.length > corsLimits.itemCharsMax)) {
    throw invalidXmlNodeValue(`An item of <${element.local}> is longer than ${corsLimits.itemCharsMax} characters.`);
  }
  return items;
}

function readOrigins(element: XmlElement): string[] {
  const origins = readList(element);
  if (origins.length === 0 || origins.length > corsLimits.originsMax) {
    throw invalidXmlNodeValue(`A CORS rule has ${origins.length} origins; 1 to ${corsLimits.originsMax} are allowed.`);
  }
  return origins;
}

function readMethods(element: XmlElement): string[] {
  const methods = readList(element);
  // Repetitions are refused, because nothing else limits the length of the list.
  if (methods.length === 0 || new Set(methods).size < methods.length) {
    throw invalidXmlNodeValue('<AllowedMethods> is empty, or has a method twice.');
  }
  const unknown = methods.find((method) => !corsMethods.includes(method));
  if (unknown !== undefined) {
    throw invalidXmlNodeValue(`<AllowedMethods> has ${quote(unknown)}; it may have ${corsMethods.join(', ')}.`);
  }
  return methods;
}

const isPrefix = (name: string): boolean => name.endsWith('*');

/** Returns names first, then prefixes. Evidence: recorded. */
function readHeaders(element: XmlElement): string[] {
  const names = readList(element);
  const [literals, prefixes] = [names.filter((name) => !isPrefix(name)), names.filter(isPrefix)];
  if (literals.length > corsLimits.literalHeadersMax || prefixes.length > corsLimits.prefixedHeadersMax) {
    const counts = `${literals.length} names and ${prefixes.length} prefixes`;
    const allowed = `${corsLimits.literalHeadersMax} and ${corsLimits.prefixedHeadersMax}`;
    throw invalidXmlNodeValue(`<${element.local}> has ${counts}; ${allowed} are allowed.`);
  }
  return [...literals, ...prefixes];
}

function readMaxAge(text: string): number {
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : -1;
  const { min, max } = maxAgeSecondsRange;
  if (seconds < min || seconds > max) {
    throw invalidXmlNodeValue(`<MaxAgeInSeconds> is ${quote(text)}; ${min} to ${max} are allowed.`);
  }
  return seconds;
}

/** Size of the rule in XML, without its tags. */
function bytesOf(rule: CorsRule): number {
  const { allowedOrigins, allowedMethods, allowedHeaders, exposedHeaders, maxAgeSeconds } = rule;
  const texts = [allowedOrigins, allowedMethods, allowedHeaders, exposedHeaders, [maxAgeSeconds]].map(String);
  return Buffer.byteLength(texts.join(''));
}

/** Evidence: recorded (the order, and the tag of an empty list). */
export function renderCorsRules(rules: readonly CorsRule[]): string {
  return renderContainer('Cors', rules.map(renderRule).join(''));
}

function renderRule(rule: CorsRule): string {
  const lists =
    renderTextElement('AllowedMethods', rule.allowedMethods.join(',')) +
    renderTextElement('AllowedOrigins', rule.allowedOrigins.join(',')) +
    renderTextElement('AllowedHeaders', rule.allowedHeaders.join(',')) +
    renderTextElement('ExposedHeaders', rule.exposedHeaders.join(','));
  return renderElement('CorsRule', lists + renderElement('MaxAgeInSeconds', String(rule.maxAgeSeconds)));
}

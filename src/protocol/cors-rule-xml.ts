import { type CorsRule, corsLimits, corsMethods, maxAgeSecondsRange } from '../model/service-properties.ts';
import {
  invalidXmlDocument,
  invalidXmlNodeValue,
  itemsOf,
  membersOf,
  renderContainer,
  renderElement,
  renderText,
  required,
  textOf,
} from './service-xml.ts';
import type { XmlElement } from './xml-reader.ts';

/**
 * Reads the rules of Set Table Service Properties. Throws InvalidXmlDocument for what is not a list of at most five
 * rules, InvalidXmlNodeValue for a value that a rule must not have. Evidence: recorded (the count); sdk
 * (azure-storage-net, TableAnalyticsUnitTests: the limits of a list); the codes of the other faults are assumed.
 */
export function readCorsRules(element: XmlElement): CorsRule[] {
  const items = itemsOf(element, 'CorsRule');
  if (items.length > corsLimits.rulesMax) throw invalidXmlDocument();
  const rules = items.map(readRule);
  if (rules.reduce((sum, rule) => sum + bytesOf(rule), 0) > corsLimits.rulesBytesMax) throw invalidXmlDocument();
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
  const [origins, methods] = [required(parts.AllowedOrigins), required(parts.AllowedMethods)];
  const [allowed, exposed] = [required(parts.AllowedHeaders), required(parts.ExposedHeaders)];
  const age = required(parts.MaxAgeInSeconds);
  return {
    allowedOrigins: readOrigins(origins),
    allowedMethods: readMethods(methods),
    allowedHeaders: readHeaders(allowed),
    exposedHeaders: readHeaders(exposed),
    maxAgeSeconds: readMaxAge(textOf(age).trim()),
  };
}

/** Evidence: documented (space around items); that an empty item is ignored is assumed. */
function readList(element: XmlElement): string[] {
  const items = textOf(element)
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (items.some((item) => item.length > corsLimits.itemCharsMax)) throw invalidXmlNodeValue();
  return items;
}

function readOrigins(element: XmlElement): string[] {
  const origins = readList(element);
  if (origins.length === 0 || origins.length > corsLimits.originsMax) throw invalidXmlNodeValue();
  return origins;
}

function readMethods(element: XmlElement): string[] {
  const methods = readList(element);
  // Without repetitions: nothing else limits the list.
  if (methods.length === 0 || new Set(methods).size < methods.length) throw invalidXmlNodeValue();
  if (!methods.every((method) => corsMethods.includes(method))) throw invalidXmlNodeValue();
  return methods;
}

const isPrefix = (name: string): boolean => name.endsWith('*');

/** Returns names first, then prefixes. Evidence: recorded. */
function readHeaders(element: XmlElement): string[] {
  const names = readList(element);
  const [literals, prefixes] = [names.filter((name) => !isPrefix(name)), names.filter(isPrefix)];
  if (literals.length > corsLimits.literalHeadersMax || prefixes.length > corsLimits.prefixedHeadersMax) {
    throw invalidXmlNodeValue();
  }
  return [...literals, ...prefixes];
}

function readMaxAge(text: string): number {
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : -1;
  if (seconds < maxAgeSecondsRange.min || seconds > maxAgeSecondsRange.max) throw invalidXmlNodeValue();
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
    renderText('AllowedMethods', rule.allowedMethods.join(',')) +
    renderText('AllowedOrigins', rule.allowedOrigins.join(',')) +
    renderText('AllowedHeaders', rule.allowedHeaders.join(',')) +
    renderText('ExposedHeaders', rule.exposedHeaders.join(','));
  return renderElement('CorsRule', lists + renderElement('MaxAgeInSeconds', String(rule.maxAgeSeconds)));
}

// Compares the XML of two responses: Atom, properties of the service, access policies.

import { readXml, type XmlElement, XmlSyntaxError } from '../protocol/xml-reader.ts';
import { type BothSides, compareETags, compareTimestamps } from './compare-values.ts';
import { type Comparing, type Difference, difference } from './difference.ts';

/** Parses XML. Undefined for a text that is not XML. */
export function parseXml(text: string): XmlElement | undefined {
  if (!/^\s*\ufeff?\s*</.test(text)) return undefined;
  try {
    return readXml(Buffer.from(text.trimStart()));
  } catch (error) {
    if (error instanceof XmlSyntaxError) return undefined;
    throw error;
  }
}

export function compareXml(pair: BothSides<XmlElement>, comparing: Comparing): Difference[] {
  const [recorded, there] = pair;
  const { place, neutral } = comparing;
  const name = `<${recorded.local}>`;
  if (recorded.local !== there.local || recorded.uri !== there.uri)
    return [difference(`${place}a different element instead of ${name}`, recorded.local, there.local)];
  if (recorded.local === 'Timestamp' || recorded.local === 'updated')
    return compareTimestamps(name, [recorded.text, there.text], comparing);
  // The time of the last synchronisation says nothing about the server.
  if (recorded.local === 'LastSyncTime') return [];
  return [
    ...compareAttributes(pair, comparing),
    ...compareChildren(pair, comparing),
    ...(neutral.recorded(recorded.text).trim() === neutral.there(there.text).trim()
      ? []
      : [difference(`${place}${nameOf(recorded)} has a different value`, recorded.text, there.text)]),
  ];
}

const dataNamespace = /\/dataservices$/;
const nameOf = ({ local, uri }: XmlElement): string =>
  dataNamespace.test(uri) && !/^(?:PartitionKey|RowKey|TableName)$/.test(local) ? 'a property' : `<${local}>`;

function compareAttributes([recorded, there]: BothSides<XmlElement>, comparing: Comparing): Difference[] {
  const { place, neutral } = comparing;
  return recorded.attributes.flatMap(({ uri, local, value }) => {
    const other = there.attributes.find((attribute) => attribute.uri === uri && attribute.local === local);
    if (!other) return [difference(`${place}attribute ${local} of <${recorded.local}> is missing there`, value)];
    if (local === 'etag') return compareETags('attribute etag', [value, other.value], comparing);
    if (neutral.recorded(value) === neutral.there(other.value)) return [];
    return [difference(`${place}attribute ${local} of <${recorded.local}> has a different value`, value, other.value)];
  });
}

/** Properties of an entity have no order. Entries have an order, so they are compared in sequence. */
function compareChildren([recorded, there]: BothSides<XmlElement>, comparing: Comparing): Difference[] {
  const { place } = comparing;
  const keys = new Set([...recorded.children, ...there.children].map(({ uri, local }) => `${uri} ${local}`));
  return [...keys].flatMap((key) => {
    const of = ({ children }: XmlElement, isListed: (table: string) => boolean): XmlElement[] =>
      children.filter(({ uri, local }) => `${uri} ${local}` === key).filter((child) => isOurs(child, isListed));
    const [ours, theirs] = [of(recorded, comparing.isListed.recorded), of(there, comparing.isListed.there)];
    const name = key.slice(key.indexOf(' ') + 1);
    if (ours.length !== theirs.length)
      return [
        difference(
          `${place}a different number of <${name}> in <${recorded.local}>`,
          String(ours.length),
          String(theirs.length),
        ),
      ];
    return ours.flatMap((child, at) => compareXml([child, theirs[at] as XmlElement], comparing));
  });
}

function isOurs(entry: XmlElement, isListed: (table: string) => boolean): boolean {
  if (entry.local !== 'entry') return true;
  const find = ({ children }: XmlElement, local: string): XmlElement | undefined =>
    children.find((child) => child.local === local);
  const content = find(entry, 'content');
  const properties = content && find(content, 'properties');
  const table = properties && find(properties, 'TableName');
  return !table || (properties && find(properties, 'RowKey') !== undefined) || isListed(table.text);
}

import type { EdmValue } from '../model/edm.ts';
import { edmFromJson } from '../model/edm-json.ts';
import { ServiceError } from '../model/service-error.ts';
import { edmFromAtom } from './atom-literal.ts';
import { atomNamespace, metadataNamespace, propertyNamespace } from './atom-names.ts';
import { attributeOf, isNamed, readXml, type XmlElement, XmlSyntaxError } from './xml-reader.ts';

/**
 * The property elements of an Atom entry, in order; all else in it is ignored. They stand in the entry's content or,
 * as a media link entry has them, in the entry itself. Refuses what is no entry, or names a property twice.
 * Evidence: documented; the place in the entry itself is assumed.
 */
export function readAtomBody(body: Buffer): XmlElement[] {
  const entry = parse(body);
  if (!isNamed(entry, atomNamespace, 'entry')) throw unreadableEntry();
  const contents = entry.children.filter((child) => isNamed(child, atomNamespace, 'content'));
  const elements = [entry, ...contents]
    .flatMap(({ children }) => children.filter((child) => isNamed(child, metadataNamespace, 'properties')))
    .flatMap(({ children }) => children.filter(({ uri }) => uri === propertyNamespace));
  if (new Set(elements.map(({ local }) => local)).size < elements.length) {
    throw new ServiceError('DuplicatePropertiesSpecified', { stage: 'parse' });
  }
  return elements;
}

function parse(body: Buffer): XmlElement {
  try {
    return readXml(body);
  } catch (error) {
    if (error instanceof XmlSyntaxError) throw unreadableEntry();
    throw error;
  }
}

/** Evidence: documented; that the text is the common one, and not the one for JSON, is assumed. */
export function unreadableEntry(): ServiceError {
  return new ServiceError('InvalidInput', { stage: 'parse' });
}

/** The value of a property element; null is no value. Refuses a type there is not, and a text the type does not have. */
export function readAtomValue(element: XmlElement): EdmValue | null {
  const type = attributeOf(element, { uri: metadataNamespace, local: 'type' });
  const edm = isNull(element) ? edmFromJson(type, { kind: 'null' }) : readLiteral(type, element);
  if (edm === undefined) throw unreadableEntry();
  return edm;
}

function readLiteral(type: string | undefined, { children, text }: XmlElement): EdmValue | undefined {
  return children.length > 0 ? undefined : edmFromAtom(type, text);
}

/** A text, or nothing for null: keys and names are strings. */
export function readAtomString(element: XmlElement): string | undefined {
  const edm = readAtomValue(element);
  if (edm === null) return undefined;
  if (edm.type !== 'Edm.String') throw unreadableEntry();
  return edm.value;
}

/** Evidence: documented for `true`; the other forms of a Boolean are assumed. */
function isNull(element: XmlElement): boolean {
  switch (attributeOf(element, { uri: metadataNamespace, local: 'null' })?.trim()) {
    case 'true':
    case '1':
      return true;
    case 'false':
    case '0':
    case undefined:
      return false;
    default:
      throw unreadableEntry();
  }
}

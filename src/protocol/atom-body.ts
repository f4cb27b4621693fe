import type { EdmValue } from '../model/edm.ts';
import { edmFromJson } from '../model/edm-json.ts';
import { quote } from '../model/printable-text.ts';
import { ServiceError, type Why } from '../model/service-error.ts';
import { edmFromAtom } from './atom-literal.ts';
import { valueFault } from './value-fault.ts';
import { attributeOf, isNamed, readXml, type XmlElement, XmlSyntaxError } from './xml-reader.ts';

/** The namespaces of an Atom document. Evidence: recorded. */
export const atomNamespace = 'http://www.w3.org/2005/Atom';
export const propertyNamespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices';
export const metadataNamespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata';

/**
 * Returns the property elements of an Atom entry in order, and ignores all other elements. The property elements are in
 * the content of the entry or, as in a media link entry, in the entry itself. Throws InvalidInput for a body that is
 * not an entry, and DuplicatePropertiesSpecified for a property that occurs twice. Evidence: documented (Payload format
 * for Table service operations); the properties in the entry itself are assumed.
 */
export function readAtomBody(body: Buffer): XmlElement[] {
  const entry = parse(body);
  if (!isNamed(entry, atomNamespace, 'entry')) {
    throw unreadableEntry(`The body is <${entry.local}> and must be an <entry> of the namespace ${atomNamespace}.`);
  }
  const contents = entry.children.filter((child) => isNamed(child, atomNamespace, 'content'));
  const elements = [entry, ...contents]
    .flatMap(({ children }) => children.filter((child) => isNamed(child, metadataNamespace, 'properties')))
    .flatMap(({ children }) => children.filter(({ uri }) => uri === propertyNamespace));
  const names = new Set(elements.map(({ local }) => local));
  if (names.size < elements.length) {
    const why = (): string[] => [
      `The entry has ${quote(elements.find(({ local }) => !names.delete(local))?.local ?? '')} twice.`,
    ];
    throw new ServiceError('DuplicatePropertiesSpecified', { stage: 'parse', why });
  }
  return elements;
}

function parse(body: Buffer): XmlElement {
  try {
    return readXml(body);
  } catch (error) {
    if (error instanceof XmlSyntaxError) throw unreadableEntry(error.message);
    throw error;
  }
}

/** Evidence: documented (Table Storage error codes); that the text differs from the text for JSON is assumed. */
export function unreadableEntry(why: Why): ServiceError {
  return new ServiceError('InvalidInput', { stage: 'parse', why });
}

/**
 * Returns the value of a property element, or null if the element has no value. Throws InvalidInput for an unknown type
 * or a wrong literal.
 */
export function readAtomValue(element: XmlElement): EdmValue | null {
  const type = attributeOf(element, { uri: metadataNamespace, local: 'type' });
  const edm = isNull(element) ? edmFromJson(type, { kind: 'null' }) : readLiteral(type, element);
  if (edm === undefined) throw unreadableEntry(() => valueFault({ name: element.local, type, text: element.text }));
  return edm;
}

function readLiteral(type: string | undefined, { children, text }: XmlElement): EdmValue | undefined {
  return children.length > 0 ? undefined : edmFromAtom(type, text);
}

/** The text of a property that must be a string, as keys and names are; undefined for null. */
export function readAtomString(element: XmlElement): string | undefined {
  const edm = readAtomValue(element);
  if (edm === null) return undefined;
  if (edm.type !== 'Edm.String') throw unreadableEntry(`${element.local} is ${edm.type} and must be Edm.String.`);
  return edm.value;
}

/** Evidence: documented for `true`; the other forms of a Boolean in XML are assumed. */
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
      throw unreadableEntry(`The attribute m:null of ${quote(element.local)} is neither true nor false.`);
  }
}

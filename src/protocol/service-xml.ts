// The common form of the XML bodies of operations on the service. A document has no namespaces. An element contains one
// of three things: certain elements, each at most once; a list of elements with the same name; or text. The service
// refuses all other content.

import { ServiceError } from '../model/service-error.ts';
import { isNamed, readXml, type XmlElement, XmlSyntaxError } from './xml-reader.ts';
import { escapeXmlText } from './xml-text.ts';

/** Evidence: recorded. */
const prolog = '\ufeff<?xml version="1.0" encoding="utf-8"?>';

export function renderServiceXml(content: string): Buffer {
  return Buffer.from(prolog + content);
}

export function renderElement(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

/** Renders an empty element as one tag with a space. Evidence: recorded (`<Cors />`, `<AllowedHeaders />`). */
export function renderContainer(name: string, content: string): string {
  return content === '' ? `<${name} />` : renderElement(name, content);
}

export function renderTextElement(name: string, text: string): string {
  return renderContainer(name, escapeXmlText(text));
}

/** Refusals at this stage have the form of these operations: XML with prefixes, and the code in a header. */
const stage = 'frontEnd';

/** Evidence: recorded (too many rules or identifiers, Days out of range). */
export function invalidXmlDocument(why: string): ServiceError {
  return new ServiceError('InvalidXmlDocument', { stage, why });
}

/** Evidence: sdk (azure-storage-net, TableAnalyticsUnitTests: too many origins or headers). */
export function invalidXmlNodeValue(why: string): ServiceError {
  return new ServiceError('InvalidXmlNodeValue', { stage, why });
}

/** Returns the root of a document. Throws InvalidXmlDocument, including for a root of another name. */
export function readServiceXml(body: Buffer, rootName: string): XmlElement {
  const root = parse(body);
  if (!isNamed(root, '', rootName))
    throw invalidXmlDocument(`The document is <${root.local}> and must be <${rootName}>.`);
  return root;
}

function parse(body: Buffer): XmlElement {
  try {
    return readXml(body);
  } catch (error) {
    if (error instanceof XmlSyntaxError) throw invalidXmlDocument(error.message);
    throw error;
  }
}

/** Returns the child elements by name. Throws InvalidXmlDocument for a repeated name and for any other name. */
export function membersOf<Name extends string>(
  element: XmlElement,
  names: readonly Name[],
): Partial<Record<Name, XmlElement>> {
  const members: Partial<Record<Name, XmlElement>> = {};
  for (const child of childrenOf(element)) {
    const name = names.find((known) => isNamed(child, '', known));
    if (name === undefined)
      throw invalidXmlDocument(`<${element.local}> has no element <${child.local}>; it may have ${names.join(', ')}.`);
    if (members[name] !== undefined) throw invalidXmlDocument(`<${element.local}> has <${name}> twice.`);
    members[name] = child;
  }
  return members;
}

/** Returns the child elements. Throws InvalidXmlDocument if one has another name. */
export function itemsOf(element: XmlElement, name: string): readonly XmlElement[] {
  const items = childrenOf(element);
  const other = items.find((item) => !isNamed(item, '', name));
  if (other) throw invalidXmlDocument(`<${element.local}> holds <${other.local}>; it may hold only <${name}>.`);
  return items;
}

function childrenOf({ local, children, text }: XmlElement): readonly XmlElement[] {
  if (text.trim() !== '') throw invalidXmlDocument(`<${local}> holds text between its elements.`);
  return children;
}

/** Throws InvalidXmlDocument for an element that is missing. */
export function required(element: XmlElement | undefined, name: string): XmlElement {
  if (element === undefined) throw invalidXmlDocument(`There is no <${name}>.`);
  return element;
}

/** Returns the text of an element. Throws InvalidXmlDocument if it has child elements. */
export function elementText({ local, children, text }: XmlElement): string {
  if (children.length > 0) throw invalidXmlDocument(`<${local}> holds elements instead of text.`);
  return text;
}

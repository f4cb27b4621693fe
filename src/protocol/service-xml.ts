// What the XML bodies of the service-level operations have in common: a document without namespaces whose elements hold
// either one of each of certain elements, a list of one kind, or text. What does not is refused, as the service does.

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

/** An element with nothing in it is one tag, with a space. Evidence: recorded (`<Cors />`, `<AllowedHeaders />`). */
export function renderContainer(name: string, content: string): string {
  return content === '' ? `<${name} />` : renderElement(name, content);
}

export function renderText(name: string, text: string): string {
  return renderContainer(name, escapeXmlText(text));
}

/** The one stage whose refusals have the form of these operations: prefixed XML, its code in a header. */
const stage = 'frontEnd';

/** Evidence: recorded (too many rules or identifiers, Days out of range). */
export function invalidXmlDocument(): ServiceError {
  return new ServiceError('InvalidXmlDocument', { stage });
}

/** Source: azure-storage-net, TableAnalyticsUnitTests (too many origins or headers). */
export function invalidXmlNodeValue(): ServiceError {
  return new ServiceError('InvalidXmlNodeValue', { stage });
}

/** Reads a document and gives its root, which has the given name; throws InvalidXmlDocument. */
export function readServiceXml(body: Buffer, rootName: string): XmlElement {
  const root = parse(body);
  if (!isNamed(root, '', rootName)) throw invalidXmlDocument();
  return root;
}

function parse(body: Buffer): XmlElement {
  try {
    return readXml(body);
  } catch (error) {
    if (error instanceof XmlSyntaxError) throw invalidXmlDocument();
    throw error;
  }
}

/** The elements inside, by name: in any order, each once, none but those named. Throws InvalidXmlDocument. */
export function membersOf<Name extends string>(
  element: XmlElement,
  names: readonly Name[],
): Partial<Record<Name, XmlElement>> {
  const members: Partial<Record<Name, XmlElement>> = {};
  for (const child of childrenOf(element)) {
    const name = names.find((known) => isNamed(child, '', known));
    if (name === undefined || members[name] !== undefined) throw invalidXmlDocument();
    members[name] = child;
  }
  return members;
}

/** The elements inside, all of one name. Throws InvalidXmlDocument. */
export function itemsOf(element: XmlElement, name: string): readonly XmlElement[] {
  const items = childrenOf(element);
  if (!items.every((item) => isNamed(item, '', name))) throw invalidXmlDocument();
  return items;
}

function childrenOf({ children, text }: XmlElement): readonly XmlElement[] {
  if (text.trim() !== '') throw invalidXmlDocument();
  return children;
}

/** An element that must be there. */
export function required(element: XmlElement | undefined): XmlElement {
  if (element === undefined) throw invalidXmlDocument();
  return element;
}

/** The text of an element that holds nothing else. Throws InvalidXmlDocument. */
export function textOf({ children, text }: XmlElement): string {
  if (children.length > 0) throw invalidXmlDocument();
  return text;
}

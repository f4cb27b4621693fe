// Turns XML into the value that an OpenAPI schema describes, so that it can be validated like JSON.

import sax from 'sax';
import type { Schema } from './description.ts';

interface Element {
  readonly name: string;
  readonly children: Element[];
  text: string;
}

interface XmlSchema {
  readonly type?: string;
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly xml?: { readonly name?: string; readonly wrapped?: boolean };
}

type Resolve = (schema: Schema) => Schema;

/** The value of a document, and its schema. Undefined if its root element is not described. */
export function xmlValue(
  text: string,
  schema: Schema,
  resolve: Resolve,
): { value: unknown; schema: Schema } | undefined {
  const root = readElement(text.replace(/^\ufeff/, ''));
  const resolved: XmlSchema = resolve(schema);
  const candidates = resolved.oneOf ?? [schema];
  const found = candidates.find((one) => (resolve(one) as XmlSchema).xml?.name === root.name);
  return found && { value: readValue(root, found, resolve), schema: found };
}

/** Replaces a reference to a character that XML 1.0 does not allow. The service writes such references. */
function writable(reference: string, number: string): string {
  const code = Number(number.replace(/^x/i, '0x'));
  const isControl = code < 0x20 && code !== 9 && code !== 10 && code !== 13;
  const isNone = isControl || (code >= 0xd800 && code <= 0xdfff) || code === 0xfffe || code === 0xffff;
  return isNone ? '\ufffd' : reference;
}

/** Throws if the document is not well-formed. */
function readElement(text: string): Element {
  const parser = sax.parser(true, { xmlns: true });
  const top: Element = { name: '', children: [], text: '' };
  const open: Element[] = [top];
  parser.onerror = (error) => {
    throw error;
  };
  parser.onopentag = (tag) => {
    const element = { name: 'local' in tag ? tag.local : tag.name, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  };
  parser.onclosetag = () => open.pop();
  const onText = (piece: string): void => {
    const element = open.at(-1);
    if (element) element.text += piece;
  };
  parser.ontext = onText;
  parser.oncdata = onText;
  parser.write(text.replace(/&#(x[0-9a-f]+|\d+);/gi, writable)).close();
  return top.children[0] ?? top;
}

function readValue(element: Element, described: Schema, resolve: Resolve): unknown {
  const schema: XmlSchema = resolve(described);
  if (schema.type === 'array') return element.children.map((child) => readValue(child, schema.items ?? {}, resolve));
  // If the schema expects members but the element has text, the value is the text, so that the schema rejects the
  // value.
  const isObject = schema.type === 'object' && element.text.trim() === '';
  if (isObject || element.children.length > 0) return membersOf(element, schema, resolve);
  if (schema.type === 'boolean') return element.text === 'true' || (element.text === 'false' ? false : element.text);
  return schema.type === 'integer' && /^\d+$/.test(element.text) ? Number(element.text) : element.text;
}

function membersOf({ children }: Element, schema: XmlSchema, resolve: Resolve): Record<string, unknown> {
  const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
  const members: Record<string, unknown> = {};
  for (const name of new Set(children.map((child) => child.name))) {
    const described = schema.properties?.[name] ?? others;
    const property: XmlSchema = resolve(described);
    const named = children.filter((child) => child.name === name);
    const isList = property.type === 'array' && property.xml?.wrapped !== true;
    const values = named.map((child) => readValue(child, isList ? (property.items ?? {}) : described, resolve));
    // A repeated element that should not be a list becomes a list, which no schema accepts.
    members[name] = isList || values.length > 1 ? values : values[0];
  }
  return members;
}

// Reads the small XML bodies of the service into a tree of plain data. The reader refuses document types. It expands
// only character references and the five entities of XML. It limits the depth, the number of elements and attributes,
// and the time. It resolves names by namespace, and keeps white space in text. It does not know what a document means.

import { isUtf8 } from 'node:buffer';
import sax from 'sax';

export interface XmlName {
  /** Empty for a name in no namespace. */
  readonly uri: string;
  readonly local: string;
}

export interface XmlAttribute extends XmlName {
  readonly value: string;
}

export interface XmlElement extends XmlName {
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  /** The text directly inside, CDATA included, joined. */
  readonly text: string;
}

/**
 * Thrown if the body is not UTF-8, is not well-formed, or exceeds a limit of the reader. The message says what is
 * wrong, and names the line if it is known.
 */
export class XmlSyntaxError extends Error {}

// No document of the service comes near these limits. For example, an entity has fewer than 300 elements, at a depth of
// five.
const depthMax = 32;
const elementsMax = 10_000;
const attributesMax = 64;
/**
 * The parser refuses names, attribute values and comments of more than 64 Ki characters. It checks their length after
 * each piece of text.
 */
const pieceChars = 65_536;

/** Returns the root of a document. Throws only XmlSyntaxError. The caller bounds the size. */
export function readXml(body: Buffer): XmlElement {
  if (!isUtf8(body)) throw new XmlSyntaxError('The body is not UTF-8.');
  const text = withoutDeclaration(body.toString('utf8').replace(/^\ufeff/, '')).replace(/\r\n?/g, '\n');
  if (unwritten.test(text)) throw new XmlSyntaxError('The body holds a character that XML does not have.');
  const parser = sax.parser(true);
  const tree = new TreeBuilder(parser, text);
  try {
    for (let at = 0; at < text.length; at += pieceChars) parser.write(text.slice(at, at + pieceChars));
    parser.close();
    return tree.root();
  } catch (error) {
    if (!(error instanceof XmlSyntaxError)) throw error;
    // The parser's messages have several lines.
    const [fault = ''] = error.message.split('\n', 1);
    throw new XmlSyntaxError(`The XML is malformed in line ${parser.line + 1}: ${fault}.`);
  }
}

/** Evidence: assumed: the service accepts references to control characters, but not the characters themselves. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 has no way to write these
const unwritten = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

const declaration =
  /^<\?xml\s+version\s*=\s*(?:"1\.0"|'1\.0')(?:\s+encoding\s*=\s*(?:"utf-8"|'utf-8'))?(?:\s+standalone\s*=\s*(?:"yes"|'yes'|"no"|'no'))?\s*\?>/i;

/** Leaves any other declaration in the text; the parser then refuses it as an instruction named `xml`. */
const withoutDeclaration = (text: string): string => text.replace(declaration, '');

const named: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/**
 * Resolves references in place of the parser's own tables. With its own tables, the parser would ignore the case of
 * names, and would accept names that JavaScript objects inherit. It would also refuse references to control characters,
 * which the service accepts.
 */
const references = new Proxy<Record<string, string>>({}, { get: (_, name) => resolveReference(String(name)) });

function resolveReference(name: string): string {
  const text = named.get(name);
  if (text !== undefined) return text;
  const [, hexadecimal, decimal] = /^#(?:x([0-9A-Fa-f]+)|([0-9]+))$/.exec(name) ?? [];
  const point = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  // Evidence: assumed: neither U+0000 nor half a surrogate pair is a character.
  if (point >= 1 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff)) return String.fromCodePoint(point);
  throw new XmlSyntaxError('a reference to an invalid character');
}

const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';
const declarationsNamespace = 'http://www.w3.org/2000/xmlns/';

interface OpenElement {
  readonly element: XmlElement & { readonly children: XmlElement[]; text: string };
  /** Namespaces declared by the element, by prefix. */
  readonly namespaces: ReadonlyMap<string, string>;
}

/** Builds the tree from the parser's events, and refuses faults that the parser accepts. */
class TreeBuilder {
  readonly #parser: sax.SAXParser & { readonly doctype?: unknown };
  readonly #text: string;
  readonly #open: OpenElement[] = [];
  #attributes = new Map<string, string>();
  #elements = 0;
  #root: XmlElement | undefined;

  constructor(parser: sax.SAXParser, text: string) {
    this.#parser = parser;
    this.#text = text;
    parser.ENTITIES = references;
    parser.onerror = (error) => refuse(error.message);
    parser.onsgmldeclaration = () => refuse('a declaration');
    parser.onprocessinginstruction = ({ name }) => this.#checkInstruction(name);
    parser.onopentagstart = () => this.#startElement();
    parser.onattribute = ({ name, value }) => this.#addAttribute(name, value);
    parser.onopentag = ({ name }) => this.#openElement(name);
    parser.onclosetag = () => this.#closeElement();
    // Outside the root, the parser reports only white space.
    parser.ontext = (text) => this.#addText(text);
    parser.oncdata = (text) => this.#addText(text);
    parser.onopencdata = () => this.#checkInside();
  }

  root(): XmlElement {
    return this.#root ?? refuse('no element');
  }

  #checkInstruction(name: string): void {
    if (name === '' || name.toLowerCase() === 'xml') refuse('an instruction out of place');
  }

  #checkInside(): void {
    if (this.#open.length === 0) refuse('text outside the root');
  }

  #startElement(): void {
    // Looks for a document type at each element, because the parser reports an element inside a document type as an
    // element of the document.
    if (this.#parser.doctype) refuse('a document type');
    if (this.#root && this.#open.length === 0) refuse('two roots');
    if (this.#open.length === depthMax) refuse('too deep');
    this.#elements += 1;
    if (this.#elements > elementsMax) refuse('too many elements');
    this.#attributes = new Map();
  }

  #addAttribute(name: string, value: string): void {
    // The parser silently drops a second attribute of the same name, but reports both if the first is removed.
    this.#parser.tag.attributes = {};
    if (this.#attributes.has(name)) refuse('an attribute given twice');
    if (this.#attributes.size === attributesMax) refuse('too many attributes');
    this.#attributes.set(name, value);
  }

  #openElement(tagName: string): void {
    const source = this.#text.slice(this.#parser.startTagPosition, this.#parser.position);
    if (source.includes('<') || /^\s/.test(source)) refuse('a malformed tag');
    const namespaces = declaredNamespaces(this.#attributes);
    const attributes: XmlAttribute[] = [];
    const element = { uri: '', local: '', attributes, children: [], text: '' };
    this.#open.push({ element, namespaces });
    Object.assign(element, this.#resolve(tagName, ''));
    for (const [name, value] of this.#attributes) {
      const attribute = { ...this.#resolve(name, 'xmlns'), value };
      if (attribute.uri === declarationsNamespace) continue;
      if (attributeOf(element, attribute) !== undefined) refuse('an attribute given twice');
      attributes.push(attribute);
    }
  }

  #closeElement(): void {
    const closed = this.#open.pop()?.element;
    const parent = this.#open.at(-1)?.element;
    if (!closed) return;
    if (parent) parent.children.push(closed);
    else this.#root = closed;
  }

  #addText(text: string): void {
    const element = this.#open.at(-1)?.element;
    if (element) element.text += text;
  }

  /** An attribute without a prefix is in no namespace, except `xmlns`. */
  #resolve(name: string, unprefixed: '' | 'xmlns'): XmlName {
    const { prefix, local } = splitName(name);
    if (prefix === '' && unprefixed === 'xmlns') return { uri: name === 'xmlns' ? declarationsNamespace : '', local };
    const uri = this.#namespaceOf(prefix);
    if (uri === undefined) return refuse('an unknown prefix');
    return { uri, local };
  }

  #namespaceOf(prefix: string): string | undefined {
    if (prefix === 'xml') return xmlNamespace;
    if (prefix === 'xmlns') return declarationsNamespace;
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const uri = this.#open[at]?.namespaces.get(prefix);
      if (uri !== undefined) return uri;
    }
    return prefix === '' ? '' : undefined;
  }
}

function refuse(reason: string): never {
  throw new XmlSyntaxError(reason);
}

function splitName(name: string): { prefix: string; local: string } {
  const colon = name.indexOf(':');
  if (colon === -1) return { prefix: '', local: name };
  const [prefix, local] = [name.slice(0, colon), name.slice(colon + 1)];
  if (prefix === '' || !localStart.test(local) || local.includes(':')) refuse('a malformed name');
  return { prefix, local };
}

/** The start of a local name. The parser has checked the other characters. */
const localStart = /^[^\d.\-\u00b7\p{M}\u203f\u2040]/u;

function declaredNamespaces(attributes: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const namespaces = new Map<string, string>();
  for (const [name, uri] of attributes) {
    if (name === 'xmlns') namespaces.set('', uri);
    if (!name.startsWith('xmlns:')) continue;
    const prefix = name.slice('xmlns:'.length);
    if (uri === '' || prefix === 'xmlns' || (prefix === 'xml') !== (uri === xmlNamespace)) refuse('a bad namespace');
    namespaces.set(prefix, uri);
  }
  return namespaces;
}

export function isNamed(element: XmlElement, uri: string, local: string): boolean {
  return element.local === local && element.uri === uri;
}

/** The value of an attribute, or undefined if there is none. */
export function attributeOf(
  { attributes }: Pick<XmlElement, 'attributes'>,
  { uri, local }: XmlName,
): string | undefined {
  return attributes.find((attribute) => attribute.local === local && attribute.uri === uri)?.value;
}

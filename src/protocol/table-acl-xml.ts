import {
  identifierCharsMax,
  isTablePermission,
  type SignedIdentifier,
  signedIdentifiersMax,
} from '../model/access-policy.ts';
import { quote } from '../model/printable-text.ts';
import { formatTicksFull, parseDateTime } from '../model/ticks.ts';
import {
  elementText,
  invalidXmlDocument,
  itemsOf,
  membersOf,
  readServiceXml,
  renderContainer,
  renderElement,
  renderServiceXml,
  renderTextElement,
  required,
} from './service-xml.ts';
import type { XmlElement } from './xml-reader.ts';

/**
 * Reads the body of Set Table ACL; an empty body is an empty list. Throws InvalidXmlDocument. Evidence: recorded (the
 * empty body, the maximum number of policies); the error code for a bad identifier, date or permission is assumed to be
 * that of the Blob service (azure-sdk-for-net #14456, #23976).
 */
export function decodeTableAclXml(body: Buffer): SignedIdentifier[] {
  if (body.length === 0) return [];
  const items = itemsOf(readServiceXml(body, 'SignedIdentifiers'), 'SignedIdentifier');
  if (items.length > signedIdentifiersMax) {
    throw invalidXmlDocument(`There are ${items.length} stored policies; ${signedIdentifiersMax} are allowed.`);
  }
  const list = items.map(readIdentifier);
  if (new Set(list.map(({ id }) => id)).size < list.length)
    throw invalidXmlDocument('Two stored policies have the same Id.');
  return list;
}

function readIdentifier(element: XmlElement): SignedIdentifier {
  const { Id, AccessPolicy } = membersOf(element, ['Id', 'AccessPolicy']);
  const id = elementText(required(Id, 'Id'));
  if (id.trim() === '' || id.length > identifierCharsMax) {
    throw invalidXmlDocument(`An <Id> has ${id.length} characters; 1 to ${identifierCharsMax} are allowed.`);
  }
  if (AccessPolicy === undefined) return { id };
  const { Start, Expiry, Permission } = membersOf(AccessPolicy, ['Start', 'Expiry', 'Permission']);
  const [start, expiry, permission] = [givenText(Start), givenText(Expiry), givenText(Permission)];
  if (permission !== undefined && !isTablePermission(permission)) {
    throw invalidXmlDocument(`<Permission> is ${quote(permission)}; it takes letters of raud, each at most once.`);
  }
  return {
    id,
    ...(start === undefined ? {} : { start: readMoment(start) }),
    ...(expiry === undefined ? {} : { expiry: readMoment(expiry) }),
    ...(permission === undefined ? {} : { permission }),
  };
}

/** An empty element counts as missing. Evidence: recorded (`<Permission />`). */
function givenText(element: XmlElement | undefined): string | undefined {
  return (element && elementText(element).trim()) || undefined;
}

const dateOnly = /^\d{4}-\d\d-\d\d$/;
const dateAndTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,7})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Evidence: documented (Define a stored access policy); recorded (the forms in UTC). */
function readMoment(text: string): string {
  const full = dateOnly.test(text) ? `${text}T00:00Z` : text;
  const ticks = dateAndTime.test(full) ? parseDateTime(full) : undefined;
  if (ticks === undefined) throw invalidXmlDocument(`${quote(text)} is not a date: 2024-05-01T10:00:00Z.`);
  return formatTicksFull(ticks);
}

/** The body of Get Table ACL. Evidence: recorded; documented for an empty policy (Get Table ACL). */
export function renderTableAclXml(list: readonly SignedIdentifier[]): Buffer {
  return renderServiceXml(renderContainer('SignedIdentifiers', list.map(renderIdentifier).join('')));
}

function renderIdentifier({ id, start, expiry, permission }: SignedIdentifier): string {
  let policy = '';
  if (start !== undefined) policy += renderElement('Start', start);
  if (expiry !== undefined) policy += renderElement('Expiry', expiry);
  if (permission !== undefined) policy += renderElement('Permission', permission);
  const content = renderTextElement('Id', id) + (policy === '' ? '' : renderElement('AccessPolicy', policy));
  return renderElement('SignedIdentifier', content);
}

import { isUtf8 } from 'node:buffer';
import { type JsonMember, JsonSyntaxError, readFlatObject } from '../model/json-text.ts';
import { quote } from '../model/printable-text.ts';
import { ServiceError, unreadableInput } from '../model/service-error.ts';

/**
 * Returns the members of a JSON body in order. Throws InvalidInput if the body is not a flat object in UTF-8, and
 * DuplicatePropertiesSpecified if a member occurs twice.
 */
export function readJsonBody(body: Buffer): JsonMember[] {
  if (!isUtf8(body)) throw unreadableInput('The body is not UTF-8.');
  const members = parse(body.toString('utf8'));
  const names = new Set(members.map(({ name }) => name));
  if (names.size < members.length) {
    const why = (): string[] => [
      `The body has ${quote(members.find(({ name }) => !names.delete(name))?.name ?? '')} twice.`,
    ];
    throw new ServiceError('DuplicatePropertiesSpecified', { stage: 'parse', why });
  }
  return members;
}

function parse(text: string): JsonMember[] {
  try {
    return readFlatObject(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw unreadableInput(() => [jsonFault(text, error)]);
    throw error;
  }
}

/** Values must not be objects or arrays. This is the most common mistake, so it has its own message. */
function jsonFault(text: string, { message, at }: JsonSyntaxError): string {
  if (text.trim() === '') return 'The body is empty.';
  const char = text[at];
  const isNested = (char === '{' || char === '[') && at > 0;
  const near = at < text.length ? `, near ${quote(text.slice(at, at + 24))}` : ', the end';
  return isNested ? `A value is an object or an array${near}.` : `The JSON is malformed: ${message}${near}.`;
}

import { isUtf8 } from 'node:buffer';
import { type JsonMember, JsonSyntaxError, readFlatObject } from '../model/json-text.ts';
import { ServiceError, unreadableInput } from '../model/service-error.ts';

/**
 * Returns the members of a JSON body in order. Throws InvalidInput for what is not UTF-8 or not a flat object,
 * DuplicatePropertiesSpecified for a member given twice.
 */
export function readJsonBody(body: Buffer): JsonMember[] {
  if (!isUtf8(body)) throw unreadableInput();
  const members = parse(body.toString('utf8'));
  if (new Set(members.map(({ name }) => name)).size < members.length) {
    throw new ServiceError('DuplicatePropertiesSpecified', { stage: 'parse' });
  }
  return members;
}

function parse(text: string): JsonMember[] {
  try {
    return readFlatObject(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw unreadableInput();
    throw error;
  }
}

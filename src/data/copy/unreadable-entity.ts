// What a source sends instead of a valid entity. Examples are a value that does not fit its type, and a member that is
// an object.

import type { EntityKey } from '../../model/entity.ts';
import { cutMiddle } from '../../model/printable-text.ts';

export interface UnreadableEntity {
  /** Undefined if the text does not contain the key. */
  readonly key: EntityKey | undefined;
  readonly reason: string;
}

const reasonCharsMax = 500;

export function describeUnreadable(text: string, reason: string): UnreadableEntity {
  return { key: keyIn(text), reason: `the source sends no entity: ${cutMiddle(reason, reasonCharsMax)}` };
}

function keyIn(text: string): EntityKey | undefined {
  try {
    const { PartitionKey: partitionKey, RowKey: rowKey } = JSON.parse(text) as Record<string, unknown>;
    return typeof partitionKey === 'string' && typeof rowKey === 'string' ? { partitionKey, rowKey } : undefined;
  } catch {
    return undefined;
  }
}

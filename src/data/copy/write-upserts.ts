// Writes entities of one partition, and leaves out the entities that the target refuses. An entity that the target
// refuses must not prevent other entities from being written.

import type { EntityKey } from '../../model/entity.ts';
import { cutMiddle } from '../../model/printable-text.ts';
import { ServiceRefusal } from '../table-client.ts';
import { type Side, SideError } from './side.ts';
import type { Upsert } from './transaction-body.ts';

/** An entity that the target refuses, or that the source does not send as an entity. */
export interface RefusedEntity {
  readonly table: string;
  /** Absent if the source's text does not contain the key. */
  readonly key?: EntityKey;
  /** Status of the target's response; absent if the source is the reason. */
  readonly status?: number | undefined;
  readonly code?: string;
  readonly message: string;
}

export interface WriteTarget {
  readonly to: Side;
  readonly table: string;
  readonly onWritten: (entities: number) => void;
  readonly onRefused: (entity: RefusedEntity) => void;
}

/** Writes in one transaction, unless an entity is refused. Throws SideError, or the reason of the side's signal. */
export async function writeUpserts(target: WriteTarget, upserts: readonly Upsert[]): Promise<void> {
  const { to, table, onWritten } = target;
  const [only] = upserts;
  if (only && upserts.length === 1) return writeOne(target, only);
  const refusal = await refusalIn(() => to.transact(table, upserts));
  if (!refusal) return onWritten(upserts.length);
  // If the service does not say which entity it refuses, halving the list finds it.
  const at = refusal.position ?? -1;
  const refused = upserts[at];
  const half = upserts.length >> 1;
  const [first, second] = refused
    ? [upserts.toSpliced(at, 1), [refused]]
    : [upserts.slice(0, half), upserts.slice(half)];
  await writeUpserts(target, first);
  await writeUpserts(target, second);
}

/**
 * Writes one entity, first with a separate request and, if that is refused, with a transaction. A server in front of
 * the target's service may refuse a key in an address, although the service accepts the same key in a body.
 */
async function writeOne({ to, table, onWritten, onRefused }: WriteTarget, upsert: Upsert): Promise<void> {
  const refusal = await refusalIn(() => to.put(table, upsert));
  const second = refusal && (await refusalIn(() => to.transact(table, [upsert])));
  if (!second) return onWritten(1);
  const { cause } = second.error;
  const { status, code } = cause instanceof ServiceRefusal ? cause : { status: second.status, code: '' };
  const message = cutMiddle(second.error.message.replace(/^\d+:/, ''), messageCharsMax);
  onRefused({ table, key: upsert.key, status, code, message });
}

const messageCharsMax = 500;

interface Refusal {
  readonly error: SideError;
  readonly status: number;
  /** The index of the refused entity in the transaction, if the service gives it. */
  readonly position: number | undefined;
}

/** A refusal of the entities themselves: 400, or 413 and 414 for their size. Other failures are thrown. */
async function refusalIn(write: () => Promise<void>): Promise<Refusal | undefined> {
  try {
    await write();
    return undefined;
  } catch (error) {
    const status = error instanceof SideError ? error.status : undefined;
    if (!(error instanceof SideError) || !(status === 400 || status === 413 || status === 414)) throw error;
    // The service's message for a refused transaction begins with the index of the entity.
    const [, position] = /^(\d+):/.exec(error.message) ?? [];
    return { error, status, position: position === undefined ? undefined : Number(position) };
  }
}

// Writes entities of one partition, without those that the target refuses: one entity that the target cannot have must not
// keep the others from it.

import type { EntityKey } from '../../model/entity.ts';
import { cutMiddle } from '../../model/printable-text.ts';
import { ServiceRefusal } from '../table-client.ts';
import { type Side, SideError } from './side.ts';
import type { Upsert } from './transaction-body.ts';

/** An entity that the target does not take, or that the source does not send as one. */
export interface RefusedEntity {
  readonly table: string;
  /** Absent where what the source sends does not say it. */
  readonly key?: EntityKey;
  /** Of the target's response; absent where the source is the reason. */
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

/** In one transaction, unless an entity is refused. Throws SideError and the reason of the side's signal. */
export async function writeUpserts(target: WriteTarget, upserts: readonly Upsert[]): Promise<void> {
  const { to, table, onWritten } = target;
  const [only] = upserts;
  if (only && upserts.length === 1) return writeOne(target, only);
  const refusal = await refusalIn(() => to.transact(table, upserts));
  if (!refusal) return onWritten(upserts.length);
  // Where the service does not say which entity it refuses, halves find it.
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
 * As a request of its own, and else as a transaction: servers before a service refuse some keys in an address that it takes
 * in a body.
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
  /** Of the refused entity among those of the transaction, where the service says it. */
  readonly position: number | undefined;
}

/** What the target says of the entities themselves: 400, and 413 and 414 for their size. Other failures are thrown. */
async function refusalIn(write: () => Promise<void>): Promise<Refusal | undefined> {
  try {
    await write();
    return undefined;
  } catch (error) {
    const status = error instanceof SideError ? error.status : undefined;
    if (!(error instanceof SideError) || !(status === 400 || status === 413 || status === 414)) throw error;
    // The service begins the message of a refused transaction with the position of the entity.
    const [, position] = /^(\d+):/.exec(error.message) ?? [];
    return { error, status, position: position === undefined ? undefined : Number(position) };
  }
}

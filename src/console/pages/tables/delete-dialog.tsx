import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ServiceRefusal } from '../../../data/table-client.ts';
import { announce } from '../../announce.ts';
import type { ShownEntity } from '../../client/edm.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { Text } from '../../components/text.tsx';
import { formatCount } from '../../format.ts';
import { deleteEntities, type KeptEntity } from './delete-entities.ts';

export interface DeleteDialogProps {
  readonly account: string;
  readonly table: string;
  readonly entities: readonly ShownEntity[];
  readonly onClose: () => void;
  /** Receives the ids of the deleted entities. */
  readonly onDeleted: (ids: ReadonlySet<string>) => void;
}

const count = (number: number): string => formatCount(number, 'entity', 'entities');

/** Asks, deletes, and lists what could not be deleted. */
export function DeleteDialog({ account, table, entities, onClose, onDeleted }: DeleteDialogProps): JSX.Element {
  const [tried, setTried] = useState<number>();
  const [kept, setKept] = useState<readonly KeptEntity[]>([]);
  const [fault, setFault] = useState<unknown>();
  const [abort, setAbort] = useState(() => new AbortController());
  useEffect(() => () => abort.abort(), [abort]);
  const run = async (list: readonly ShownEntity[], isForced: boolean): Promise<void> => {
    const controller = new AbortController();
    setAbort(controller);
    setTried(0);
    setFault(undefined);
    try {
      const order = { account, table, entities: list, isForced, signal: controller.signal, onProgress: setTried };
      const outcome = await deleteEntities(order);
      onDeleted(outcome.gone);
      announce(`${count(outcome.gone.size)} deleted`);
      if (outcome.kept.length === 0) onClose();
      setKept(outcome.kept);
    } catch (error) {
      setFault(error);
    }
    setTried(undefined);
  };
  const isRunning = tried !== undefined;
  const partitions = new Set(entities.map(({ partitionKey }) => partitionKey)).size;
  return (
    <Dialog
      title={entities.length === 1 ? 'Delete entity' : `Delete ${count(entities.length)}`}
      width={kept.length > 0 ? 'wide' : 'narrow'}
      onClose={isRunning ? () => abort.abort() : onClose}
      onSubmit={() =>
        void (kept.length > 0
          ? run(
              kept.map(({ entity }) => entity),
              true,
            )
          : run(entities, false))
      }
      actions={
        <>
          <Button onClick={isRunning ? () => abort.abort() : onClose}>
            {kept.length > 0 ? 'Keep them' : isRunning ? 'Stop' : 'Cancel'}
          </Button>
          <Button kind="danger" type="submit" isDisabled={isRunning}>
            {kept.length > 0 ? `Delete ${kept.length} anyway` : 'Delete'}
          </Button>
        </>
      }
    >
      {kept.length > 0 ? (
        <KeptEntities kept={kept} />
      ) : (
        <>
          {entities[0] && entities.length === 1 && <KeyOf entity={entities[0]} />}
          {entities.length > 1 && (
            <p>
              {count(entities.length)} in {formatCount(partitions, 'partition')}, by transactions of at most 100.
            </p>
          )}
          <p>This cannot be undone. An entity that changed since it was read here is kept.</p>
        </>
      )}
      {isRunning && (
        <div role="status" class="progress">
          <progress max={entities.length} value={tried} aria-label="Entities tried" /> {tried} of{' '}
          {count(entities.length)}
        </div>
      )}
      {fault !== undefined && <ErrorBox error={fault} />}
    </Dialog>
  );
}

function KeyOf({ entity }: { readonly entity: ShownEntity }): JSX.Element {
  return (
    <dl class="key-of">
      <dt>PartitionKey</dt>
      <dd>
        <Text text={entity.partitionKey} />
      </dd>
      <dt>RowKey</dt>
      <dd>
        <Text text={entity.rowKey} />
      </dd>
    </dl>
  );
}

const shownMax = 50;

function KeptEntities({ kept }: { readonly kept: readonly KeptEntity[] }): JSX.Element {
  return (
    <>
      <p>{count(kept.length)} could not be deleted; all others are gone.</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached with the keyboard */}
      <section class="table-scroll kept" tabIndex={0} aria-label="Entities that were kept">
        <table class="data-table">
          <thead>
            <tr>
              <th scope="col">PartitionKey</th>
              <th scope="col">RowKey</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {kept.slice(0, shownMax).map(({ entity, reason }) => (
              <tr key={`${entity.partitionKey}\n${entity.rowKey}`}>
                <td>
                  <Text text={entity.partitionKey} />
                </td>
                <td>
                  <Text text={entity.rowKey} />
                </td>
                <td>{reasonText(reason)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {kept.length > shownMax && <p class="muted">and {kept.length - shownMax} more</p>}
    </>
  );
}

function reasonText(reason: unknown): string {
  if (reason instanceof ServiceRefusal && reason.status === 412) return 'It changed since it was read here.';
  return reason instanceof Error ? reason.message : String(reason);
}

import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { SnapshotRecord } from '../../model/snapshot.ts';
import { announce } from '../announce.ts';
import { api } from '../client/api.ts';
import { accountOr } from '../client/emulator.ts';
import { AccountSelect } from '../components/account-select.tsx';
import { Button } from '../components/button.tsx';
import { DataTable } from '../components/data-table.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Empty, Loading } from '../components/empty.tsx';
import { ErrorBox } from '../components/error-box.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Text } from '../components/text.tsx';
import { formatCount, formatMoment } from '../format.ts';
import { navigate, type PageProps } from '../router.ts';
import { SaveDialog } from './snapshots/save-dialog.tsx';

interface SnapshotList {
  readonly snapshots: readonly SnapshotRecord[];
}

type Open = { readonly kind: 'save' } | { readonly kind: 'restore' | 'delete'; readonly snapshot: SnapshotRecord };

/** Saved states of an account. */
export function SnapshotsPage({ route }: PageProps): JSX.Element {
  const account = accountOr(route.path[0]);
  const [list, setList] = useState<readonly SnapshotRecord[]>();
  const [fault, setFault] = useState<unknown>();
  const [open, setOpen] = useState<Open>();
  const load = useCallback(async (): Promise<void> => {
    try {
      const { snapshots } = await api<SnapshotList>('snapshots', { query: { account } });
      setList(snapshots);
      setFault(undefined);
    } catch (error) {
      setFault(error);
    }
  }, [account]);
  useEffect(() => void load(), [load]);
  const close = (): void => setOpen(undefined);
  const saveButton = (
    <Button kind="primary" icon="camera" onClick={() => setOpen({ kind: 'save' })}>
      Save a snapshot
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Snapshots"
        description="States of the data to come back to. Saving and restoring take milliseconds, whatever the amount of data."
      >
        <AccountSelect account={account} onSelect={(name) => navigate(['snapshots', name])} />
        {list && list.length > 0 && saveButton}
      </PageHeader>
      {fault !== undefined && (
        <ErrorBox error={fault}>
          <Button onClick={() => void load()}>Try again</Button>
        </ErrorBox>
      )}
      {!list && fault === undefined && <Loading />}
      {list?.length === 0 && (
        <Empty icon="camera" title="No snapshots yet">
          <p>Save one before you try something, or before a test run, and come back to it as often as you like.</p>
          {saveButton}
        </Empty>
      )}
      {list && list.length > 0 && (
        <section class="card">
          <SnapshotTable list={list} onOpen={setOpen} />
        </section>
      )}
      {open?.kind === 'save' && <SaveDialog account={account} known={list ?? []} onClose={close} onSaved={load} />}
      {open?.kind === 'restore' && <RestoreDialog account={account} snapshot={open.snapshot} onClose={close} />}
      {open?.kind === 'delete' && (
        <DeleteDialog account={account} snapshot={open.snapshot} onClose={close} onDeleted={load} />
      )}
    </>
  );
}

interface SnapshotTableProps {
  readonly list: readonly SnapshotRecord[];
  readonly onOpen: (open: Open) => void;
}

function SnapshotTable({ list, onOpen }: SnapshotTableProps): JSX.Element {
  return (
    <DataTable<SnapshotRecord>
      caption="Snapshots"
      rows={list}
      keyOf={({ name }) => name}
      columns={[
        {
          name: 'Name',
          cell: ({ name }) => (
            <strong>
              <Text text={name} />
            </strong>
          ),
        },
        { name: 'Saved', cell: ({ savedAt }) => formatMoment(savedAt) },
        { name: 'Holds', cell: (snapshot) => <Holds snapshot={snapshot} /> },
        {
          name: 'Actions',
          isHeaderHidden: true,
          cell: (snapshot) => (
            <div class="snapshot-actions">
              <Button icon="restore" onClick={() => onOpen({ kind: 'restore', snapshot })}>
                Restore
              </Button>
              <Button icon="trash" onClick={() => onOpen({ kind: 'delete', snapshot })}>
                Delete
              </Button>
            </div>
          ),
        },
      ]}
    />
  );
}

function Holds({ snapshot: { table, tables } }: { readonly snapshot: SnapshotRecord }): JSX.Element {
  if (table === undefined) return <>{formatCount(tables, 'table')} and the settings of the service</>;
  return (
    <>
      the table <Text text={table} />
    </>
  );
}

interface ActionProps {
  readonly account: string;
  readonly snapshot: SnapshotRecord;
  readonly onClose: () => void;
}

function RestoreDialog({ account, snapshot, onClose }: ActionProps): JSX.Element {
  const { name, table } = snapshot;
  return (
    <Confirm
      title="Restore this snapshot?"
      action="Restore"
      onClose={onClose}
      onConfirm={async () => {
        await api(`snapshots/${encodeURIComponent(name)}/restore`, { method: 'POST', query: { account } });
        announce(`Restored the snapshot ${name}.`);
      }}
    >
      <p>
        {table === undefined ? (
          <>
            All tables of <strong>{account}</strong> become what they were when{' '}
            <strong>
              <Text text={name} />
            </strong>{' '}
            was saved. Tables and changes since then are lost.
          </>
        ) : (
          <>
            The table <Text text={table} /> becomes what it was when{' '}
            <strong>
              <Text text={name} />
            </strong>{' '}
            was saved. Changes since then are lost.
          </>
        )}
      </p>
    </Confirm>
  );
}

function DeleteDialog({
  account,
  snapshot: { name },
  onClose,
  onDeleted,
}: ActionProps & { onDeleted: () => Promise<void> }) {
  return (
    <Confirm
      title="Delete this snapshot?"
      action="Delete snapshot"
      onClose={onClose}
      onConfirm={async () => {
        await api(`snapshots/${encodeURIComponent(name)}`, { method: 'DELETE', query: { account } });
        announce(`Deleted the snapshot ${name}.`);
        await onDeleted();
      }}
    >
      <p>
        <strong>
          <Text text={name} />
        </strong>{' '}
        cannot be restored afterwards. The tables stay as they are.
      </p>
    </Confirm>
  );
}

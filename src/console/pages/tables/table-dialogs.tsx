import type { JSX } from 'preact';
import { announce } from '../../announce.ts';
import { api } from '../../client/api.ts';
import { tableClient } from '../../client/data-plane.ts';
import { Confirm } from '../../components/dialog.tsx';
import type { MenuItem } from '../../components/menu.tsx';
import { Text } from '../../components/text.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { PoliciesDialog } from './policies-dialog.tsx';

/** Tasks on an entire table. */
export interface TableTask {
  readonly kind: 'import' | 'export' | 'policies' | 'clear' | 'delete';
  readonly table: string;
}

export function tableMenu(table: string, onTask: (task: TableTask) => void): readonly MenuItem[] {
  return [
    { label: 'Export', icon: 'download', onClick: () => onTask({ kind: 'export', table }) },
    { label: 'Import into it', icon: 'upload', onClick: () => onTask({ kind: 'import', table }) },
    { label: 'Access policies', icon: 'key', onClick: () => onTask({ kind: 'policies', table }) },
    { label: 'Clear table', icon: 'close', isDanger: true, onClick: () => onTask({ kind: 'clear', table }) },
    { label: 'Delete table', icon: 'trash', isDanger: true, onClick: () => onTask({ kind: 'delete', table }) },
  ];
}

export interface TableDialogsProps {
  readonly account: string;
  readonly task: TableTask;
  readonly onClose: () => void;
  /** Called when data of the table changed. */
  readonly onChanged: () => void;
  /** Called when the table is deleted. If absent, `onChanged` is called. */
  readonly onDeleted?: () => void;
}

/** The dialog of a task. */
export function TableDialogs({ account, task, onClose, onChanged, onDeleted }: TableDialogsProps): JSX.Element {
  const { kind, table } = task;
  switch (kind) {
    case 'export':
      return <ExportDialog account={account} table={table} onClose={onClose} />;
    case 'import':
      return <ImportDialog account={account} table={table} onClose={onClose} onDone={onChanged} />;
    case 'policies':
      return <PoliciesDialog account={account} table={table} onClose={onClose} />;
    case 'clear':
      return (
        <Confirm
          title="Clear table"
          action="Clear table"
          onClose={onClose}
          onConfirm={async () => {
            await api('reset', { method: 'POST', body: { account, table } });
            announce(`Table ${table} cleared`);
            onChanged();
          }}
        >
          <p>
            All entities of{' '}
            <strong>
              <Text text={table} />
            </strong>{' '}
            go; the table and its access policies stay. This cannot be undone, unless a snapshot holds them.
          </p>
        </Confirm>
      );
    case 'delete':
      return (
        <Confirm
          title="Delete table"
          action="Delete table"
          onClose={onClose}
          onConfirm={async () => {
            await tableClient(account).deleteTable(table);
            announce(`Table ${table} deleted`);
            (onDeleted ?? onChanged)();
          }}
        >
          <p>
            <strong>
              <Text text={table} />
            </strong>{' '}
            goes with all its entities and access policies. This cannot be undone, unless a snapshot holds them.
          </p>
        </Confirm>
      );
  }
}

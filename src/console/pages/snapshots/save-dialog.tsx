import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SnapshotRecord } from '../../../model/snapshot.ts';
import { announce } from '../../announce.ts';
import { api } from '../../client/api.ts';
import { listTables } from '../../client/table-client.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { SelectField, TextField } from '../../components/field.tsx';

export interface SaveDialogProps {
  readonly account: string;
  readonly known: readonly SnapshotRecord[];
  readonly onClose: () => void;
  readonly onSaved: () => Promise<void>;
}

/** Saves all tables of the account, or one of them. */
export function SaveDialog({ account, known, onClose, onSaved }: SaveDialogProps): JSX.Element {
  const [name, setName] = useState('');
  const [table, setTable] = useState('');
  const [tables, setTables] = useState<readonly string[]>([]);
  const [fault, setFault] = useState<unknown>();
  useEffect(() => {
    // If the list cannot be read, all tables can still be saved together.
    listTables(account).then((page) => setTables(page.tables), setFault);
  }, [account]);
  const save = async (): Promise<void> => {
    try {
      const query = { account, table: table === '' ? undefined : table };
      await api(`snapshots/${encodeURIComponent(name)}`, { method: 'PUT', query });
      announce(`Saved the snapshot ${name}.`);
      onClose();
      await onSaved();
    } catch (error) {
      setFault(error);
    }
  };
  const isReplacing = known.some((one) => one.name === name);
  return (
    <Dialog
      title="Save a snapshot"
      onClose={onClose}
      onSubmit={() => void save()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            {isReplacing ? 'Replace' : 'Save'}
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        onInput={setName}
        isRequired
        isFocused
        hint={isReplacing ? 'There is a snapshot of this name: it is replaced.' : 'Such as before-migration.'}
      />
      <SelectField
        label="What it holds"
        value={table}
        onInput={setTable}
        options={[
          { value: '', label: 'All tables, and the settings of the service' },
          ...tables.map((one) => ({ value: one, label: `The table ${one}` })),
        ]}
      />
      {fault !== undefined && <ErrorBox error={fault} />}
    </Dialog>
  );
}

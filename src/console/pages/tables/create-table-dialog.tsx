import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { announce } from '../../announce.ts';
import { tableClient } from '../../client/data-plane.ts';
import { tableNameFault } from '../../client/edm-faults.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { TextField } from '../../components/field.tsx';

export interface CreateTableDialogProps {
  readonly account: string;
  readonly onCreated: (name: string) => void;
  readonly onClose: () => void;
}

export function CreateTableDialog({ account, onCreated, onClose }: CreateTableDialogProps): JSX.Element {
  const [name, setName] = useState('');
  const [fault, setFault] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const nameFault = tableNameFault(name);
  const create = async (): Promise<void> => {
    if (nameFault !== undefined || isBusy) return;
    setBusy(true);
    try {
      await tableClient(account).createTable(name);
      announce(`Table ${name} created`);
      onClose();
      onCreated(name);
    } catch (error) {
      setFault(error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Create table"
      onClose={onClose}
      onSubmit={() => void create()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isDisabled={isBusy || nameFault !== undefined}>
            Create table
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        isFocused
        value={name}
        onInput={setName}
        hint="3 to 63 letters and digits, a letter first."
        fault={name.length > 2 ? nameFault : undefined}
      />
      {fault !== undefined && <ErrorBox error={fault} />}
    </Dialog>
  );
}

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type FileFormat, fileFormats, tableFileName } from '../../../data/file-names.ts';
import { announce } from '../../announce.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { SelectField } from '../../components/field.tsx';
import { formatCount } from '../../format.ts';
import { saveFile } from '../../save-file.ts';
import { formatNames } from './file-entities.ts';
import { tableFile } from './table-file.ts';

export interface ExportDialogProps {
  readonly account: string;
  readonly table: string;
  readonly onClose: () => void;
}

/** Saves a table as a file. */
export function ExportDialog({ account, table, onClose }: ExportDialogProps): JSX.Element {
  const [format, setFormat] = useState<FileFormat>('ndjson');
  const [read, setRead] = useState<number>();
  const [fault, setFault] = useState<unknown>();
  const [abort] = useState(() => new AbortController());
  useEffect(() => () => abort.abort(), [abort]);
  const run = async (): Promise<void> => {
    setRead(0);
    setFault(undefined);
    try {
      const file = await tableFile({ account, table, signal: abort.signal, onProgress: setRead }, format);
      saveFile(tableFileName(table, format), file);
      announce(`Table ${table} exported`);
      onClose();
    } catch (error) {
      setRead(undefined);
      setFault(error);
    }
  };
  return (
    <Dialog
      title={`Export ${table}`}
      onClose={onClose}
      onSubmit={() => void run()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" icon="download" isDisabled={read !== undefined}>
            Export
          </Button>
        </>
      }
    >
      <SelectField
        label="Format"
        value={format}
        onInput={(value) => setFormat(value as FileFormat)}
        options={fileFormats.map((value) => ({ value, label: formatNames[value] }))}
      />
      <p class="muted">
        All entities of the table, with the types of their properties. <code>tanzanite seed</code> and Import read the
        file, and Storage Explorer reads the CSV.
      </p>
      {read !== undefined && <p role="status">{formatCount(read, 'entity', 'entities')} read…</p>}
      {fault !== undefined && <ErrorBox error={fault} />}
    </Dialog>
  );
}

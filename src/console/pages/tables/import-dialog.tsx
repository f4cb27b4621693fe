import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { type FileFormat, fileFormats, readFileName } from '../../../data/file-names.ts';
import { announce } from '../../announce.ts';
import { tableNameFault } from '../../client/edm-faults.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { formatBytes, formatCount } from '../../format.ts';
import { formatNames } from './file-entities.ts';
import { type ImportMode, importEntities } from './import-entities.ts';

export interface ImportDialogProps {
  readonly account: string;
  /** If absent, the user chooses it in the dialog. */
  readonly table?: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const modes: readonly { readonly value: ImportMode; readonly label: string }[] = [
  { value: 'add', label: 'Insert or replace these entities; keep all others' },
  { value: 'replace', label: 'Replace the table, in one step' },
];

/** Reads a file into a table. */
export function ImportDialog({ account, table: given, onClose, onDone }: ImportDialogProps): JSX.Element {
  const [file, setFile] = useState<File>();
  const [format, setFormat] = useState<FileFormat>('ndjson');
  const [table, setTable] = useState(given ?? '');
  const [mode, setMode] = useState<ImportMode>('add');
  const { run, stop, written, fault } = useImport(onClose, onDone);
  const choose = (chosen: File): void => {
    setFile(chosen);
    const named = readFileName(chosen.name);
    if (named) setFormat(named.format);
    if (given === undefined && table === '') setTable(named?.table ?? '');
  };
  const isRunning = written !== undefined;
  const isReady = file !== undefined && tableNameFault(table) === undefined && !isRunning;
  const start = (): void => {
    if (file && isReady) void run({ account, table, file, format, mode });
  };
  return (
    <Dialog
      title={given === undefined ? 'Import a file' : `Import into ${given}`}
      onClose={isRunning ? stop : onClose}
      onSubmit={start}
      actions={
        <>
          <Button onClick={isRunning ? stop : onClose}>{isRunning ? 'Stop' : 'Cancel'}</Button>
          <Button kind="primary" type="submit" isDisabled={!isReady}>
            Import
          </Button>
        </>
      }
    >
      <FileField file={file} onChoose={choose} />
      <SelectField
        label="Format"
        value={format}
        onInput={(value) => setFormat(value as FileFormat)}
        options={fileFormats.map((value) => ({ value, label: formatNames[value] }))}
      />
      {given === undefined && (
        <TextField
          label="Table"
          value={table}
          onInput={setTable}
          hint="It is created if it does not exist."
          fault={table === '' ? undefined : tableNameFault(table)}
        />
      )}
      <SelectField label="What to do" value={mode} onInput={(value) => setMode(value as ImportMode)} options={modes} />
      {isRunning && <p role="status">{formatCount(written, 'entity', 'entities')} sent…</p>}
      {fault !== undefined && <ErrorBox error={fault} />}
    </Dialog>
  );
}

interface FileFieldProps {
  readonly file: File | undefined;
  readonly onChoose: (file: File) => void;
}

function FileField({ file, onChoose }: FileFieldProps): JSX.Element {
  const id = useId();
  const chosen = (input: HTMLInputElement): void => {
    const [first] = input.files ?? [];
    if (first) onChoose(first);
  };
  return (
    <div class="field">
      <label class="label" for={id}>
        File
      </label>
      <input
        id={id}
        class="input file-input"
        type="file"
        accept=".ndjson,.jsonl,.json,.csv"
        onChange={({ currentTarget }) => chosen(currentTarget)}
      />
      {file && <p class="hint">{formatBytes(file.size)}</p>}
    </div>
  );
}

type Order = Omit<Parameters<typeof importEntities>[0], 'onProgress' | 'signal'>;

interface Import {
  readonly run: (order: Order) => Promise<void>;
  readonly stop: () => void;
  /** Undefined while nothing runs. */
  readonly written: number | undefined;
  readonly fault: unknown;
}

function useImport(onClose: () => void, onDone: () => void): Import {
  const [written, setWritten] = useState<number>();
  const [fault, setFault] = useState<unknown>();
  const [abort, setAbort] = useState<AbortController>();
  useEffect(() => () => abort?.abort(), [abort]);
  const run = async (order: Order): Promise<void> => {
    const controller = new AbortController();
    setAbort(controller);
    setFault(undefined);
    setWritten(0);
    let sent = 0;
    const onProgress = (count: number): void => {
      sent = count;
      setWritten(count);
    };
    try {
      const count = await importEntities({ ...order, onProgress, signal: controller.signal });
      announce(`${formatCount(count, 'entity', 'entities')} imported into ${order.table}`);
      onDone();
      onClose();
    } catch (error) {
      setWritten(undefined);
      if (order.mode === 'add' && sent > 0) onDone();
      setFault(controller.signal.aborted ? stoppedFault(order.mode, sent) : failedFault(error, { order, sent }));
    }
  };
  return { run, stop: () => abort?.abort(), written, fault };
}

function stoppedFault(mode: ImportMode, sent: number): string {
  if (mode === 'replace') return 'Stopped. The table is as it was.';
  return `Stopped. ${formatCount(sent, 'entity', 'entities')} were written before.`;
}

/** Adds to the error how many entities were written before it. They stay, unless the table was to be replaced. */
function failedFault(error: unknown, { order, sent }: { readonly order: Order; readonly sent: number }): unknown {
  if (order.mode === 'replace' || sent === 0 || !(error instanceof Error)) return error;
  error.message = `${error.message} ${formatCount(sent, 'entity', 'entities')} were written before.`;
  return error;
}

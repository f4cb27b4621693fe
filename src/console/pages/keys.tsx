import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { KeySimulation } from '../../advisor/keys/simulate-keys.ts';
import { api } from '../client/api.ts';
import { accountOr } from '../client/emulator.ts';
import { AccountSelect } from '../components/account-select.tsx';
import { Button } from '../components/button.tsx';
import { Empty, Loading } from '../components/empty.tsx';
import { ErrorBox } from '../components/error-box.tsx';
import { TextField } from '../components/field.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { type PageProps, type Route, replaceQuery } from '../router.ts';
import { KeyResults } from './keys/key-results.tsx';

/** Tries a design of keys with the entities of a table and its recent queries. */
export function KeysPage({ route }: PageProps): JSX.Element {
  const draft = draftOf(route);
  const result = useSignal<KeySimulation | undefined>(undefined);
  const fault = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const change = (next: Partial<Draft>): void => replaceQuery({ ...draft, ...next });
  const run = async (): Promise<void> => {
    isBusy.value = true;
    fault.value = undefined;
    try {
      result.value = await api<KeySimulation>('simulate-keys', { method: 'POST', body: requestOf(draft) });
    } catch (error) {
      result.value = undefined;
      fault.value = error;
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      <PageHeader
        title="Keys"
        description="Try a PartitionKey and a RowKey with the entities of a table and its recent queries. Nothing is changed."
      />
      <KeyForm draft={draft} isBusy={isBusy.value} onChange={change} onRun={() => void run()} />
      {fault.value !== undefined && <ErrorBox error={fault.value} />}
      {isBusy.value && <Loading what="Trying the keys" />}
      {result.value && !isBusy.value && <KeyResults simulation={result.value} />}
      {!result.value && !isBusy.value && fault.value === undefined && <HowTo />}
    </>
  );
}

/** What the address of the page says. */
interface Draft {
  readonly account: string;
  readonly table: string;
  readonly partition: string;
  readonly row: string;
  readonly indexPartition: string;
  readonly indexRow: string;
}

function draftOf({ query }: Route): Draft {
  const text = (name: string): string => query.get(name) ?? '';
  return {
    account: accountOr(query.get('account') ?? undefined),
    table: text('table'),
    partition: text('partition'),
    row: text('row'),
    indexPartition: text('indexPartition'),
    indexRow: text('indexRow'),
  };
}

function requestOf({ account, table, partition, row, indexPartition, indexRow }: Draft): object {
  const hasIndex = indexPartition !== '' || indexRow !== '';
  return {
    account,
    table,
    partitionKey: partition,
    rowKey: row,
    ...(hasIndex && { index: { partitionKey: indexPartition, rowKey: indexRow } }),
  };
}

interface KeyFormProps {
  readonly draft: Draft;
  readonly isBusy: boolean;
  readonly onChange: (next: Partial<Draft>) => void;
  readonly onRun: () => void;
}

function KeyForm({ draft, isBusy, onChange, onRun }: KeyFormProps): JSX.Element {
  const keyField = (name: keyof Draft, label: string, placeholder: string): JSX.Element => (
    <TextField
      label={label}
      isMono
      placeholder={placeholder}
      value={draft[name]}
      onInput={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <form
      class="card keys-form"
      aria-label="The design"
      onSubmit={(event) => {
        event.preventDefault();
        onRun();
      }}
    >
      <AccountSelect account={draft.account} onSelect={(account) => onChange({ account })} />
      <TextField label="Table" isRequired value={draft.table} onInput={(table) => onChange({ table })} />
      {keyField('partition', 'PartitionKey', '{Department}')}
      {keyField('row', 'RowKey', '{EmployeeId:000000}')}
      {keyField('indexPartition', 'PartitionKey of a second table', 'none')}
      {keyField('indexRow', 'RowKey of a second table', 'none')}
      <Button kind="primary" type="submit" isDisabled={isBusy}>
        Try the keys
      </Button>
    </form>
  );
}

function HowTo(): JSX.Element {
  return (
    <Empty icon="key" title="Write what the keys are made of">
      <p>
        A property in braces gives its value: <code>{'{Department}'}</code>, <code>{'{EmployeeId:000000}'}</code> with
        zeros in front, <code>{'{OrderDate:inverted}'}</code> the newest first, <code>{'{hash(CustomerId,16)}'}</code>{' '}
        one of 16 buckets. Any other text is used as it is.
      </p>
    </Empty>
  );
}

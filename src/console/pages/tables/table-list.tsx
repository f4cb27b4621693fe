import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SizedTable } from '../../../control/data/table-sizes.ts';
import { listTables } from '../../client/table-client.ts';
import { AccountSelect } from '../../components/account-select.tsx';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Empty, Loading } from '../../components/empty.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { TextField } from '../../components/field.tsx';
import { Menu } from '../../components/menu.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Text } from '../../components/text.tsx';
import { formatCount, visibleText } from '../../format.ts';
import { hrefOf, navigate } from '../../router.ts';
import { CreateTableDialog } from './create-table-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { TableDialogs, type TableTask, tableMenu } from './table-dialogs.tsx';
import { bytesText, entitiesText, useTableSizes } from './table-sizes.ts';

/** Number of rows in the document at first. The filter finds the others. */
const shownStep = 200;

/** All tables of an account. */
export function TableList({ account }: { readonly account: string }): JSX.Element {
  const { tables, isComplete, fault, reload } = useTables(account);
  const sizes = useTableSizes(account, isComplete ? tables : undefined);
  const [filter, setFilter] = useState('');
  const [dialog, setDialog] = useState<'create' | 'import' | TableTask>();
  const close = (): void => setDialog(undefined);
  const found = tables?.filter((name) => name.toLowerCase().includes(filter.trim().toLowerCase()));
  return (
    <>
      <PageHeader title="Tables" description="Look at what an account holds, and change it.">
        <AccountSelect account={account} onSelect={(name) => navigate(['tables', name])} />
        <Button icon="upload" onClick={() => setDialog('import')}>
          Import
        </Button>
        <Button icon="plus" kind="primary" onClick={() => setDialog('create')}>
          Create table
        </Button>
      </PageHeader>
      {fault !== undefined && (
        <ErrorBox error={fault}>
          <Button onClick={reload}>Try again</Button>
        </ErrorBox>
      )}
      {!tables && fault === undefined && <Loading what="Reading the tables" />}
      {tables?.length === 0 && <NoTables onCreate={() => setDialog('create')} onImport={() => setDialog('import')} />}
      {found && tables && tables.length > 0 && (
        <section class="card">
          <div class="card-head">
            <div class="table-filter">
              <TextField
                label="Filter tables by name"
                isLabelHidden
                type="search"
                placeholder="Filter by name"
                value={filter}
                onInput={setFilter}
              />
            </div>
            <p class="muted" role="status">
              {filter.trim() === ''
                ? formatCount(tables.length, 'table')
                : `${found.length} of ${formatCount(tables.length, 'table')}`}
            </p>
          </div>
          <TableRows key={filter} account={account} tables={found} sizes={sizes} onTask={setDialog} />
        </section>
      )}
      {dialog === 'create' && (
        <CreateTableDialog
          account={account}
          onClose={close}
          onCreated={(name) => navigate(['tables', account, name])}
        />
      )}
      {dialog === 'import' && <ImportDialog account={account} onClose={close} onDone={reload} />}
      {typeof dialog === 'object' && (
        <TableDialogs account={account} task={dialog} onClose={close} onChanged={reload} />
      )}
    </>
  );
}

interface TableRowsProps {
  readonly account: string;
  readonly tables: readonly string[];
  /** The sizes of some tables may be missing. */
  readonly sizes: ReadonlyMap<string, SizedTable>;
  readonly onTask: (task: TableTask) => void;
}

function TableRows({ account, tables, sizes, onTask }: TableRowsProps): JSX.Element {
  const [shown, setShown] = useState(shownStep);
  if (tables.length === 0) return <p class="card-body muted">No table has this in its name.</p>;
  return (
    <>
      <DataTable
        caption="Tables"
        rows={tables.slice(0, shown)}
        keyOf={(name) => name}
        columns={[
          {
            name: 'Name',
            cell: (name) => (
              <a class="table-name" href={hrefOf(['tables', account, name])}>
                <Text text={name} />
              </a>
            ),
          },
          { name: 'Entities', isNumber: true, cell: (name) => entitiesText(sizes.get(name)) },
          { name: 'Size', isNumber: true, cell: (name) => bytesText(sizes.get(name)) },
          {
            name: 'Actions',
            isHeaderHidden: true,
            isNumber: true,
            cell: (name) => (
              <div class="row-actions">
                <a
                  class="button quiet"
                  href={hrefOf(['query', account, name])}
                  aria-label={`Query ${visibleText(name)}`}
                >
                  Query
                </a>
                <Menu label={`Actions for ${visibleText(name)}`} isIconOnly items={tableMenu(name, onTask)} />
              </div>
            ),
          },
        ]}
      />
      {tables.length > shown && (
        <div class="card-body">
          <Button onClick={() => setShown(shown + shownStep)}>Show more</Button>
        </div>
      )}
    </>
  );
}

interface NoTablesProps {
  readonly onCreate: () => void;
  readonly onImport: () => void;
}

function NoTables({ onCreate, onImport }: NoTablesProps): JSX.Element {
  return (
    <section class="card">
      <Empty icon="table" title="No tables yet">
        <p>
          Create one here, import a file, or <a href={hrefOf(['connect'])}>connect your application</a> and let it
          create its own.
        </p>
        <div class="toolbar">
          <Button kind="primary" icon="plus" onClick={onCreate}>
            Create table
          </Button>
          <Button icon="upload" onClick={onImport}>
            Import a file
          </Button>
        </div>
      </Empty>
    </section>
  );
}

interface Tables {
  /** Undefined until the first page is there. */
  readonly tables: readonly string[] | undefined;
  readonly isComplete: boolean;
  readonly fault: unknown;
  readonly reload: () => void;
}

/** All tables of an account, page by page. */
function useTables(account: string): Tables {
  const [tables, setTables] = useState<readonly string[]>();
  const [isComplete, setComplete] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isOver = false;
    setComplete(false);
    const read = async (): Promise<void> => {
      const names: string[] = [];
      let next: string | undefined;
      do {
        const page = await listTables(account, next);
        if (isOver) return;
        names.push(...page.tables);
        next = page.next;
        setTables([...names]);
      } while (next !== undefined);
      setComplete(true);
      setFault(undefined);
    };
    read().catch((error: unknown) => {
      if (!isOver) setFault(error);
    });
    return () => {
      isOver = true;
    };
  }, [account, round]);
  return { tables, isComplete, fault, reload: () => setRound(round + 1) };
}

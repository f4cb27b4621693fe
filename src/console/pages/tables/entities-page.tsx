import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { fetchPage } from '../../client/data-plane.ts';
import type { ShownEntity } from '../../client/edm.ts';
import { Button } from '../../components/button.tsx';
import { ColumnsDialog } from '../../components/grid/columns-dialog.tsx';
import { EntityGrid } from '../../components/grid/entity-grid.tsx';
import { EntityPages } from '../../components/grid/entity-pages.ts';
import { GridFoot } from '../../components/grid/grid-foot.tsx';
import type { GridPosition } from '../../components/grid/grid-keys.ts';
import { Selection } from '../../components/grid/selection.ts';
import { useColumns } from '../../components/grid/use-columns.ts';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Text } from '../../components/text.tsx';
import { hrefOf, navigate } from '../../router.ts';
import { EntitiesDialog, type OpenDialog } from './entities-dialog.tsx';
import { EntityActions } from './entity-actions.tsx';
import { FilterBar } from './filter-bar.tsx';
import { isMissing, MissingTable } from './missing-table.tsx';
import { NoEntities } from './no-entities.tsx';
import { tableMenu } from './table-dialogs.tsx';

export interface EntitiesPageProps {
  readonly account: string;
  readonly table: string;
  /** OData; empty for all entities. */
  readonly filter: string;
}

type Open = OpenDialog | { readonly kind: 'columns' };

/** The entities of a table. */
export function EntitiesPage({ account, table, filter }: EntitiesPageProps): JSX.Element {
  const [round, setRound] = useState(0);
  const reload = (): void => setRound((before) => before + 1);
  const pages = usePages({ account, table, filter, round });
  const selection = useMemo(() => new Selection(), []);
  const position = useSignal<GridPosition>({ row: 0, column: 0 });
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  const columns = useColumns(`${account}/${table}`, pages.state.value.columns);
  const { rows, isComplete, fault } = pages.state.value;
  const isGone = rows === 0 && isMissing(fault);
  const edit = (index: number): void => {
    const entity = pages.row(index);
    if (entity) setOpen({ kind: 'entity', task: { kind: 'edit', entity }, index });
  };
  const chosen = (): readonly ShownEntity[] => {
    const active = pages.row(position.peek().row);
    const list = [...selection.chosen.peek().values()];
    return list.length > 0 || !active ? list : [active];
  };
  const remove = (): void => {
    if (chosen().length > 0) setOpen({ kind: 'delete', entities: chosen() });
  };
  return (
    <div class="fills-page">
      <PageHeader
        title={
          <span class="breadcrumb">
            <a href={hrefOf(['tables', account])}>Tables</a>
            <Icon name="chevron" size={14} />
            <Text text={table} />
          </span>
        }
      >
        <Button icon="refresh" onClick={reload}>
          Refresh
        </Button>
        {!isGone && (
          <>
            <Button icon="columns" onClick={() => setOpen({ kind: 'columns' })}>
              Columns
            </Button>
            <Menu label="Table" items={tableMenu(table, (task) => setOpen({ kind: 'table', task }))} />
            <Button icon="plus" kind="primary" onClick={() => setOpen({ kind: 'entity', task: { kind: 'add' } })}>
              Add entity
            </Button>
          </>
        )}
      </PageHeader>
      {isGone ? (
        <section class="card grid-card">
          <MissingTable account={account} table={table} onCreated={reload} />
        </section>
      ) : (
        <>
          <FilterBar account={account} table={table} filter={filter} />
          <section class="card grid-card">
            <EntityActions
              pages={pages}
              selection={selection}
              row={position.value.row}
              onEdit={() => edit(position.peek().row)}
              onClone={(entity) => setOpen({ kind: 'entity', task: { kind: 'clone', entity } })}
              onCopy={(entity) => setOpen({ kind: 'snippet', entity })}
              onDelete={remove}
            />
            {rows === 0 && isComplete && (
              <NoEntities
                isFiltered={filter !== ''}
                onAdd={() => setOpen({ kind: 'entity', task: { kind: 'add' } })}
                onImport={() => setOpen({ kind: 'table', task: { kind: 'import', table } })}
                onShowAll={() => navigate(['tables', account, table])}
              />
            )}
            {(rows > 0 || (!isComplete && fault === undefined)) && (
              <EntityGrid
                label={`Entities of ${table}`}
                pages={pages}
                columns={columns.shown}
                onResize={columns.resize}
                position={position}
                selection={selection}
                onOpen={edit}
                onDelete={remove}
              />
            )}
            <GridFoot pages={pages} />
          </section>
        </>
      )}
      {open?.kind === 'columns' && (
        <ColumnsDialog columns={columns.all} onApply={columns.apply} onReset={columns.reset} onClose={close} />
      )}
      {open && open.kind !== 'columns' && (
        <EntitiesDialog
          account={account}
          table={table}
          open={open}
          onClose={close}
          onReload={reload}
          parts={{ pages, selection }}
        />
      )}
    </div>
  );
}

interface PagesOf extends EntitiesPageProps {
  /** A new value starts from the beginning. */
  readonly round: number;
}

function usePages({ account, table, filter, round }: PagesOf): EntityPages {
  const pages = useMemo(
    () => new EntityPages((next, signal) => fetchPage(account, table, { filter, signal, ...(next && { next }) })),
    [account, table, filter, round],
  );
  useEffect(() => {
    pages.show(0, 30);
    return () => pages.close();
  }, [pages]);
  return pages;
}

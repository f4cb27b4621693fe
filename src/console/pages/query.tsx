import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { accountOr } from '../client/emulator.ts';
import { listTables } from '../client/table-client.ts';
import { Empty, Loading } from '../components/empty.tsx';
import { ErrorBox } from '../components/error-box.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { hrefOf, navigate, type PageProps } from '../router.ts';
import { QueryForm } from './query/query-form.tsx';
import { QueryResults } from './query/query-results.tsx';
import { type QueryText, queryAddress, queryOf } from './query/query-text.ts';

/** `#/query/{account}/{table}?filter=…&select=…&top=…`; with `run=1` the query runs immediately. */
export function QueryPage({ route }: PageProps): JSX.Element {
  const account = accountOr(route.path[0]);
  const { tables, fault } = useTableNames(account);
  const table = route.path[1] ?? tables?.[0];
  const query = table === undefined ? undefined : queryOf({ account, table, text: route.query });
  // A click on Run runs the query again even if it has not changed.
  const [round, setRound] = useState(0);
  const run = (next: QueryText): void => {
    navigate(...queryAddress(next, true));
    setRound((before) => before + 1);
  };
  return (
    <div class="fills-page">
      <PageHeader title="Query" description="Try a filter, and see what it makes the service do." />
      {fault !== undefined && <ErrorBox error={fault} />}
      {!query && !tables && fault === undefined && <Loading what="Reading the tables" />}
      {!query && tables?.length === 0 && (
        <section class="card">
          <Empty icon="search" title="Nothing to query yet">
            <p>
              A query reads one table, and this account has none. <a href={hrefOf(['tables', account])}>Create one</a>{' '}
              first.
            </p>
          </Empty>
        </section>
      )}
      {query && (
        <>
          <QueryForm query={query} tables={tables ?? [query.table]} onRun={run} />
          <QueryResults query={query} round={round} isRun={route.query.get('run') === '1'} />
        </>
      )}
    </div>
  );
}

interface TableNames {
  /** Undefined until they are known. */
  readonly tables: readonly string[] | undefined;
  readonly fault: unknown;
}

function useTableNames(account: string): TableNames {
  const [names, setNames] = useState<TableNames>({ tables: undefined, fault: undefined });
  useEffect(() => {
    let isOver = false;
    setNames({ tables: undefined, fault: undefined });
    const read = async (): Promise<void> => {
      const tables: string[] = [];
      let next: string | undefined;
      do {
        const page = await listTables(account, next);
        tables.push(...page.tables);
        next = page.next;
      } while (next !== undefined && !isOver);
      if (!isOver) setNames({ tables, fault: undefined });
    };
    read().catch((fault: unknown) => {
      if (!isOver) setNames({ tables: undefined, fault });
    });
    return () => {
      isOver = true;
    };
  }, [account]);
  return names;
}

import type { JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { AccountSelect } from '../../components/account-select.tsx';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { visibleText } from '../../format.ts';
import { hrefOf, navigate } from '../../router.ts';
import { useExplained } from './explained.ts';
import { FilterEditor } from './filter-editor.tsx';
import { type QueryText, queryAddress, topFault, topMax } from './query-text.ts';
import { useSamples } from './samples.ts';

export interface QueryFormProps {
  /** The query in the address. */
  readonly query: QueryText;
  readonly tables: readonly string[];
  readonly onRun: (query: QueryText) => void;
}

export function QueryForm({ query, tables, onRun }: QueryFormProps): JSX.Element {
  const [draft, setDraft] = useState(query);
  const { account, table, filter, select, top } = query;
  // Runs before the browser draws. Later, it would undo what the user typed meanwhile.
  useLayoutEffect(() => setDraft({ account, table, filter, select, top }), [account, table, filter, select, top]);
  const change = (changed: Partial<QueryText>): void => setDraft({ ...draft, ...changed });
  const explained = useExplained(draft.filter);
  const samples = useSamples(account, table);
  const wrongTop = topFault(draft.top);
  const run = (): void => {
    if (wrongTop === undefined) onRun(draft);
  };
  const goTo = (next: Pick<QueryText, 'account'> & Partial<QueryText>): void => {
    navigate(next.table === undefined ? ['query', next.account] : ['query', next.account, next.table]);
  };
  const names = tables.includes(table) ? tables : [table, ...tables];
  return (
    <form
      class="card query-form"
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <div class="query-filter">
        <span class="label">Filter</span>
        <FilterEditor
          text={filter}
          fault={explained.fault}
          samples={samples}
          onInput={(text) => change({ filter: text })}
          onRun={run}
        />
        <FaultLine fault={explained.fault} />
      </div>
      <div class="query-options">
        <AccountSelect account={account} onSelect={(next) => goTo({ account: next })} />
        <SelectField
          label="Table"
          value={table}
          onInput={(next) => goTo({ account, table: next })}
          options={names.map((name) => ({ value: name, label: visibleText(name) }))}
        />
        <TextField
          label="$select"
          isMono
          placeholder="all properties"
          value={draft.select}
          onInput={(text) => change({ select: text })}
        />
        <TextField
          label="$top"
          type="number"
          min={1}
          max={topMax}
          placeholder="none"
          value={draft.top}
          fault={wrongTop}
          onInput={(text) => change({ top: text })}
        />
        <div class="query-buttons">
          <CopyButton
            what="link"
            isWordy
            text={() => new URL(hrefOf(...queryAddress(draft, true)), window.location.href).href}
          />
          <Button kind="primary" type="submit" icon="play">
            Run
          </Button>
        </div>
      </div>
    </form>
  );
}

function FaultLine({ fault }: { readonly fault: ReturnType<typeof useExplained>['fault'] }): JSX.Element {
  return (
    <p class="query-fault" role="status">
      {fault ? (
        <span class="fault">
          <bdi>{visibleText(fault.message)}</bdi> {fault.hints.map((hint) => visibleText(hint)).join(' ')}
        </span>
      ) : (
        <span class="hint">Enter runs it, Shift+Enter starts a line, Ctrl+Space offers what fits.</span>
      )}
    </p>
  );
}

import type { JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { hrefOf, navigate } from '../../router.ts';

export interface FilterBarProps {
  readonly account: string;
  readonly table: string;
  /** The filter in force. */
  readonly filter: string;
}

/** The filter is kept in the address. */
export function FilterBar({ account, table, filter }: FilterBarProps): JSX.Element {
  const [text, setText] = useState(filter);
  // Runs before the browser draws. Later, it would undo what the user typed meanwhile.
  useLayoutEffect(() => setText(filter), [filter]);
  const apply = (next: string): void => navigate(['tables', account, table], { filter: next.trim() });
  return (
    <search aria-label="Entities">
      <form
        class="filter-bar"
        onSubmit={(event) => {
          event.preventDefault();
          apply(text);
        }}
      >
        <TextField
          label="Filter, as $filter"
          isLabelHidden
          isMono
          placeholder="PartitionKey eq 'a' and RowKey ge 'b'"
          value={text}
          onInput={setText}
        />
        <Button type="submit">Filter</Button>
        {filter !== '' && (
          <Button kind="quiet" onClick={() => apply('')}>
            Show all
          </Button>
        )}
        <a class="button quiet" href={hrefOf(['query', account, table], { filter: text })}>
          Open in Query
        </a>
      </form>
    </search>
  );
}

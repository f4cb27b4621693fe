import type { JSX } from 'preact';
import { ServiceRefusal } from '../../../data/table-client.ts';
import { announce, announceFailure } from '../../announce.ts';
import { tableClient } from '../../client/data-plane.ts';
import { tableNameFault } from '../../client/edm-faults.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { hrefOf } from '../../router.ts';

/** Whether a refusal says that the table does not exist. */
export const isMissing = (fault: unknown): boolean => fault instanceof ServiceRefusal && fault.code === 'TableNotFound';

export interface MissingTableProps {
  readonly account: string;
  readonly table: string;
  readonly onCreated: () => void;
}

/** In place of the entities of a table that does not exist. */
export function MissingTable({ account, table, onCreated }: MissingTableProps): JSX.Element {
  const create = async (): Promise<void> => {
    try {
      await tableClient(account).createTable(table);
      announce(`Table ${table} created`);
      onCreated();
    } catch (error) {
      announceFailure(error);
    }
  };
  return (
    <Empty icon="table" title="This table does not exist">
      <p>It may have been deleted, or not been created yet. Upper and lower case do not matter in a table's name.</p>
      <div class="toolbar">
        {tableNameFault(table) === undefined && (
          <Button kind="primary" icon="plus" onClick={() => void create()}>
            Create it
          </Button>
        )}
        <a class="button" href={hrefOf(['tables', account])}>
          Show the tables
        </a>
      </div>
    </Empty>
  );
}

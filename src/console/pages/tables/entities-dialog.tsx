import type { JSX } from 'preact';
import type { ShownEntity } from '../../client/edm.ts';
import type { EntityPages } from '../../components/grid/entity-pages.ts';
import { entityId, type Selection } from '../../components/grid/selection.ts';
import { navigate } from '../../router.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { EntityDialog, type EntityTask } from './entity-dialog.tsx';
import { SnippetDialog } from './snippet-dialog.tsx';
import { TableDialogs, type TableTask } from './table-dialogs.tsx';

export type OpenDialog =
  /** `index`: the row of the entity that is edited. */
  | { readonly kind: 'entity'; readonly task: EntityTask; readonly index?: number }
  | { readonly kind: 'table'; readonly task: TableTask }
  | { readonly kind: 'delete'; readonly entities: readonly ShownEntity[] }
  | { readonly kind: 'snippet'; readonly entity: ShownEntity };

export interface EntitiesDialogProps {
  readonly account: string;
  readonly table: string;
  readonly open: OpenDialog;
  readonly parts: { readonly pages: EntityPages; readonly selection: Selection };
  readonly onClose: () => void;
  /** Reads the table again. */
  readonly onReload: () => void;
}

/** The dialog that is open, and what it changes on the page. */
export function EntitiesDialog(props: EntitiesDialogProps): JSX.Element {
  const { account, table, open, onClose, onReload } = props;
  const { pages, selection } = props.parts;
  const common = { account, table, onClose };
  switch (open.kind) {
    case 'entity':
      return (
        <EntityDialog
          {...common}
          task={open.task}
          onWritten={(entity) => {
            selection.remove(new Set([entityId(entity)]));
            if (open.task.kind === 'edit' && open.index !== undefined) pages.replace(open.index, entity);
            else onReload();
          }}
          onGone={onReload}
        />
      );
    case 'snippet':
      return <SnippetDialog {...common} entity={open.entity} />;
    case 'delete':
      return (
        <DeleteDialog
          {...common}
          entities={open.entities}
          onDeleted={(ids) => {
            selection.remove(ids);
            pages.remove((entity) => ids.has(entityId(entity)));
          }}
        />
      );
    case 'table':
      return (
        <TableDialogs
          account={account}
          task={open.task}
          onClose={onClose}
          onChanged={onReload}
          onDeleted={() => navigate(['tables', account])}
        />
      );
  }
}

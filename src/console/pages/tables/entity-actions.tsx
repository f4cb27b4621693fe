import type { JSX } from 'preact';
import type { ShownEntity } from '../../client/edm.ts';
import { Button } from '../../components/button.tsx';
import type { EntityPages } from '../../components/grid/entity-pages.ts';
import type { Selection } from '../../components/grid/selection.ts';
import { formatCount } from '../../format.ts';

export interface EntityActionsProps {
  readonly pages: EntityPages;
  readonly selection: Selection;
  /** The index of the active row. */
  readonly row: number;
  readonly onEdit: () => void;
  readonly onClone: (entity: ShownEntity) => void;
  readonly onCopy: (entity: ShownEntity) => void;
  readonly onDelete: () => void;
}

/** Actions on the active row, or on the chosen rows. */
export function EntityActions(props: EntityActionsProps): JSX.Element {
  const { pages, selection, row, onEdit, onClone, onCopy, onDelete } = props;
  // Read the signal, so that the buttons follow the pages.
  const { rows } = pages.state.value;
  const entity = rows > 0 ? pages.row(row) : undefined;
  const count = selection.chosen.value.size;
  return (
    <div class="card-head grid-actions">
      <div class="toolbar">
        <Button icon="edit" isDisabled={!entity} onClick={onEdit} title="Enter">
          Edit
        </Button>
        <Button icon="plus" isDisabled={!entity} onClick={() => entity && onClone(entity)}>
          Clone
        </Button>
        <Button icon="code" isDisabled={!entity} onClick={() => entity && onCopy(entity)}>
          Copy as…
        </Button>
        <Button icon="trash" isDisabled={!entity && count === 0} onClick={onDelete} title="Delete">
          {count > 0 ? `Delete ${formatCount(count, 'entity', 'entities')}` : 'Delete'}
        </Button>
      </div>
      {count > 0 ? (
        <div class="toolbar">
          <span role="status">{formatCount(count, 'entity', 'entities')} selected</span>
          <Button kind="quiet" onClick={() => selection.clear()}>
            Select none
          </Button>
        </div>
      ) : (
        <p class="muted grid-help">Space selects, Enter edits, Delete deletes</p>
      )}
    </div>
  );
}

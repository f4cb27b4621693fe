import type { JSX } from 'preact';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';

export interface NoEntitiesProps {
  readonly isFiltered: boolean;
  readonly onAdd: () => void;
  readonly onImport: () => void;
  readonly onShowAll: () => void;
}

export function NoEntities({ isFiltered, onAdd, onImport, onShowAll }: NoEntitiesProps): JSX.Element {
  if (isFiltered) {
    return (
      <Empty icon="search" title="No entity matches">
        <p>The filter selects nothing in this table.</p>
        <Button onClick={onShowAll}>Show all entities</Button>
      </Empty>
    );
  }
  return (
    <Empty icon="table" title="This table is empty">
      <p>Add an entity here, or import a file.</p>
      <div class="toolbar">
        <Button kind="primary" icon="plus" onClick={onAdd}>
          Add entity
        </Button>
        <Button icon="upload" onClick={onImport}>
          Import a file
        </Button>
      </div>
    </Empty>
  );
}

import { Component, type JSX } from 'preact';
import type { EdmType, ShownEntity, TypedText } from '../../client/edm.ts';
import { formatBytes, formatMoment } from '../../format.ts';
import { Badge } from '../badge.tsx';
import { Text } from '../text.tsx';
import type { GridColumn } from './columns.ts';
import { cellRole, rowRole } from './grid-roles.ts';

export interface GridRowProps {
  /** The ids of cells begin with it. */
  readonly gridId: string;
  readonly index: number;
  /** Undefined while the entity is being read. */
  readonly entity: ShownEntity | undefined;
  readonly columns: readonly GridColumn[];
  readonly top: number;
  readonly isSelected: boolean;
  /** The column of the active cell, if it is in this row. */
  readonly activeColumn: number | undefined;
  readonly hasCheck: boolean;
}

/** A row is drawn again only if it changed: scrolling draws only the new rows. */
export class GridRow extends Component<GridRowProps> {
  override shouldComponentUpdate(next: GridRowProps): boolean {
    const names = Object.keys(next) as (keyof GridRowProps)[];
    return names.some((name) => next[name] !== this.props[name]);
  }

  override render({ gridId, index, entity, columns, top, isSelected, activeColumn, hasCheck }: GridRowProps) {
    return (
      <div
        {...rowRole(index + 2, hasCheck ? isSelected : undefined)}
        class={`grid-row${isSelected ? ' selected' : ''}`}
        data-row={index}
        style={{ transform: `translateY(${top}px)` }}
      >
        {hasCheck && (
          <div {...cellRole(1)} class="grid-cell grid-check">
            <input
              type="checkbox"
              tabIndex={-1}
              data-check={index}
              checked={isSelected}
              aria-label={`Select row ${index + 1}`}
            />
          </div>
        )}
        {columns.map((column, at) => (
          <div
            key={column.name}
            {...cellRole(at + (hasCheck ? 2 : 1))}
            id={`${gridId}-${index}-${at}`}
            data-column={at}
            class={classOf({ column, value: entity && propertyOf(entity, column.name), isActive: at === activeColumn })}
          >
            {entity ? <Value entity={entity} column={column} /> : <span class="grid-wait" />}
          </div>
        ))}
      </div>
    );
  }
}

const numbers: ReadonlySet<EdmType> = new Set(['Edm.Int32', 'Edm.Int64', 'Edm.Double']);
export const isNumberColumn = ({ types }: GridColumn): boolean =>
  types.size > 0 && [...types].every((type) => numbers.has(type));

interface CellLook {
  readonly column: GridColumn;
  readonly value: TypedText | undefined;
  readonly isActive: boolean;
}

function classOf({ column, value, isActive }: CellLook): string {
  const parts = ['grid-cell'];
  if (column.name === 'PartitionKey' || column.name === 'RowKey') parts.push('key-cell');
  if (column.name === 'PartitionKey') parts.push('grid-held');
  if (isNumberColumn(column)) parts.push('number');
  if (value && value.type !== 'Edm.String') parts.push('mono');
  if (isActive) parts.push('active');
  return parts.join(' ');
}

/** The value of a property or a system property; undefined if the entity does not have it. */
export function propertyOf(entity: ShownEntity, name: string): TypedText | undefined {
  if (name === 'PartitionKey') return { type: 'Edm.String', text: entity.partitionKey };
  if (name === 'RowKey') return { type: 'Edm.String', text: entity.rowKey };
  if (name !== 'Timestamp') return entity.properties.get(name);
  return entity.timestamp === '' ? undefined : { type: 'Edm.DateTime', text: entity.timestamp };
}

/** Maximum number of characters of a value in a cell. The editor shows the complete value. */
const cellCharsMax = 160;
const binaryCharsMax = 48;

function Value({ entity, column }: { readonly entity: ShownEntity; readonly column: GridColumn }): JSX.Element | null {
  const value = propertyOf(entity, column.name);
  if (!value) return null;
  const type = column.types.size > 1 && <Badge>{shortType(value.type)}</Badge>;
  if (value.type === 'Edm.String') {
    return (
      <>
        {type}
        <Text text={value.text} charsMax={cellCharsMax} />
      </>
    );
  }
  if (value.type === 'Edm.Binary') return <BinaryValue text={value.text} type={type} />;
  const title = value.type === 'Edm.DateTime' ? formatMoment(value.text) : undefined;
  return (
    <>
      {type}
      <span title={title}>{value.text}</span>
    </>
  );
}

function BinaryValue({ text, type }: { readonly text: string; readonly type: JSX.Element | false }): JSX.Element {
  return (
    <>
      {type}
      <span>
        {text.slice(0, binaryCharsMax)}
        {text.length > binaryCharsMax && '…'}
      </span>{' '}
      <span class="cut">{formatBytes(bytesOf(text))}</span>
    </>
  );
}

/** Number of bytes that a base64 text encodes. */
export const bytesOf = (base64: string): number => (base64.length / 4) * 3 - (/=*$/.exec(base64)?.[0].length ?? 0);

/** `Int32` */
export const shortType = (type: EdmType): string => type.slice('Edm.'.length);

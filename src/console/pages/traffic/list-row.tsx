// biome-ignore-all lint/a11y/useSemanticElements: rows that are positioned one by one cannot be table rows
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active row

import type { JSX } from 'preact';
import type { LiveRequest } from '../../../control/observe/live-request.ts';
import { Badge } from '../../components/badge.tsx';
import { Icon } from '../../components/icon.tsx';
import { Text } from '../../components/text.tsx';
import { formatDuration, formatNumber, visibleText } from '../../format.ts';
import { clientOf, formatInstant, productionText, toneOf } from './request-text.ts';
import { tableOfRequest } from './traffic-filter.ts';
import type { TrafficRow } from './traffic-log.ts';

export interface ListRowProps {
  readonly id: string;
  readonly row: TrafficRow;
  /** Index in the list, from 0. */
  readonly index: number;
  /** In pixels. */
  readonly top: number;
  readonly isSelected: boolean;
  readonly onSelect: (row: TrafficRow) => void;
}

const textCharsMax = 120;

export function ListRow({ id, row, index, top, isSelected, onSelect }: ListRowProps): JSX.Element {
  const { request } = row;
  return (
    <div
      id={id}
      role="row"
      class={`traffic-row traffic-item ${isSelected ? 'selected' : ''} ${request.status >= 400 ? 'refused' : ''}`}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      style={{ transform: `translateY(${top}px)` }}
      // Not onClick: new rows may move this one before the user releases the button.
      onMouseDown={({ button }) => {
        if (button === 0) onSelect(row);
      }}
    >
      {cellsOf(request).map((content, at) => (
        <div key={at} role="gridcell" aria-colindex={at + 1} class={`traffic-cell c${at}`}>
          {content}
        </div>
      ))}
    </div>
  );
}

function cellsOf(request: LiveRequest): readonly (JSX.Element | string | null)[] {
  const { atMs, operation, plan, visited, returned, units, durationMs } = request;
  const table = tableOfRequest(request);
  return [
    formatInstant(atMs),
    <StatusCell key="status" request={request} />,
    operation,
    table === undefined ? null : <Text text={table} charsMax={textCharsMax} />,
    <KeysCell key="keys" request={request} />,
    plan === undefined ? null : `${plan}, ${formatNumber(visited ?? 0)} → ${formatNumber(returned ?? 0)}`,
    units === undefined ? null : formatNumber(units),
    formatDuration(durationMs),
    <ClientCell key="client" request={request} />,
  ];
}

/** The name of the client. The tooltip and the details show its version, too. */
function ClientCell({ request }: { readonly request: LiveRequest }): JSX.Element {
  const client = clientOf(request);
  return (
    <span title={visibleText(client)}>
      <Text text={client.replace(/\/.*$/s, '')} charsMax={textCharsMax} />
    </span>
  );
}

function StatusCell({ request }: { readonly request: LiveRequest }): JSX.Element {
  const { status, capacity, fault } = request;
  return (
    <>
      <Badge tone={toneOf(status)}>{status}</Badge>
      {fault !== undefined && (
        <span class="traffic-struck" title={`Staged: the fault ${visibleText(fault.rule)}`}>
          <Icon name="warning" size={15} />
          <span class="visually-hidden">A staged fault struck it</span>
        </span>
      )}
      {capacity === 'wouldThrottle' && (
        <span class="traffic-beyond-target" title={productionText(request)}>
          <Icon name="gauge" size={15} />
          <span class="visually-hidden">Production would have refused it</span>
        </span>
      )}
    </>
  );
}

function KeysCell({ request }: { readonly request: LiveRequest }): JSX.Element | null {
  const { filter, members = [], batch } = request;
  const { partitionKey, rowKey } = request.partitionKey === undefined ? (members[0] ?? {}) : request;
  if (filter !== undefined) return <Text text={filter} charsMax={textCharsMax} />;
  if (partitionKey === undefined) return null;
  return (
    <>
      <Text text={partitionKey} charsMax={textCharsMax} />
      {rowKey !== undefined && (
        <>
          <span class="muted" aria-hidden="true">
            {' / '}
          </span>
          <Text text={rowKey} charsMax={textCharsMax} />
        </>
      )}
      {batch && batch.size > 1 && <span class="muted"> and {formatNumber(batch.size - 1)} more</span>}
    </>
  );
}

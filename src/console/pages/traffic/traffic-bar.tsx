import type { JSX } from 'preact';
import { announce } from '../../announce.ts';
import { emulator } from '../../client/emulator.ts';
import { Button } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { formatCount, formatNumber, visibleText } from '../../format.ts';
import { saveFile } from '../../save-file.ts';
import { archiveOf } from './har.ts';
import { type Choices, type StatusClass, statusClasses, statusLabels, type TrafficFilter } from './traffic-filter.ts';
import type { TrafficLog, TrafficRow } from './traffic-log.ts';

export interface TrafficBarProps {
  readonly filter: TrafficFilter;
  readonly choices: Choices;
  readonly log: TrafficLog;
  /** The rows that pass the filter. */
  readonly shown: readonly TrafficRow[];
  /** Whether traces are shown in place of requests. */
  readonly isGrouped: boolean;
  readonly onGroup: () => void;
  readonly onFilter: (filter: TrafficFilter) => void;
  readonly onPause: () => void;
  readonly onClear: () => void;
}

export function TrafficBar(props: TrafficBarProps): JSX.Element {
  const { filter, choices, log, shown, isGrouped, onFilter, onGroup, onPause, onClear } = props;
  const set = (part: Partial<TrafficFilter>): void => onFilter({ ...filter, ...part });
  return (
    <search class="traffic-bar">
      <div class="traffic-fields">
        <TextField
          label="Search"
          isLabelHidden
          type="search"
          placeholder="Key, filter, code, client…"
          value={filter.text}
          onInput={(text) => set({ text })}
        />
        <SelectField
          label="Outcome"
          isLabelHidden
          value={filter.status}
          onInput={(status) => set({ status: status as StatusClass | '' })}
          options={[
            { value: '', label: 'All outcomes' },
            ...statusClasses.map((value) => ({ value, label: statusLabels[value] })),
          ]}
        />
        <SelectField
          label="Operation"
          isLabelHidden
          value={filter.operation}
          onInput={(operation) => set({ operation })}
          options={optionsOf('All operations', choices.operations)}
        />
        <SelectField
          label="Table"
          isLabelHidden
          value={filter.table}
          onInput={(table) => set({ table })}
          options={optionsOf('All tables', choices.tables)}
        />
      </div>
      <div class="toolbar">
        <Button icon={log.isPaused ? 'play' : 'pause'} kind={log.isPaused ? 'primary' : 'plain'} onClick={onPause}>
          {log.isPaused ? `Resume (${formatNumber(log.waiting)})` : 'Pause'}
        </Button>
        <Button onClick={onGroup}>{isGrouped ? 'Show requests' : 'Group by trace'}</Button>
        <Button icon="download" isDisabled={shown.length === 0} onClick={() => exportArchive(shown)}>
          Export HAR
        </Button>
        <Button icon="trash" isDisabled={log.rows.length === 0} onClick={onClear}>
          Clear
        </Button>
      </div>
    </search>
  );
}

const optionsOf = (all: string, names: readonly string[]) => [
  { value: '', label: all },
  ...names.map((name) => ({ value: name, label: visibleText(name) })),
];

function exportArchive(shown: readonly TrafficRow[]): void {
  const { version = '' } = emulator.value ?? {};
  const requests = shown.map(({ request }) => request);
  const archive = archiveOf(requests, { origin: window.location.origin, version });
  saveFile('traffic.har', new Blob([JSON.stringify(archive, undefined, 2)], { type: 'application/json' }));
  announce(`Exported ${formatCount(shown.length, 'request')} without keys, signatures and bodies.`);
}

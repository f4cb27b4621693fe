import type { JSX } from 'preact';
import type { HeatReport } from '../../../control/observe/heat-report.ts';
import { AccountSelect } from '../../components/account-select.tsx';
import { Button } from '../../components/button.tsx';
import { SelectField } from '../../components/field.tsx';
import { formatCount } from '../../format.ts';
import { type Measure, measures } from './heat-matrix.ts';

/** How far the map looks back; the emulator keeps half an hour. */
export const periods = [5, 15, 30] as const;

export interface HeatBarProps {
  readonly account: string;
  readonly report: HeatReport | undefined;
  readonly measure: Measure;
  readonly minutes: number;
  readonly isPaused: boolean;
  readonly onAccount: (account: string) => void;
  readonly onTable: (table: string) => void;
  readonly onMeasure: (measure: Measure) => void;
  readonly onMinutes: (minutes: number) => void;
  readonly onPause: () => void;
}

const labels: Readonly<Record<Measure, string>> = {
  units: 'Units',
  requests: 'Requests',
  refusals: 'Refusals',
  wouldThrottle: 'Would be refused',
};

export function HeatBar(props: HeatBarProps): JSX.Element {
  const { account, report, measure, minutes, isPaused } = props;
  const table = report?.table ?? '';
  const names = report?.tables.map((one) => one.table) ?? [];
  return (
    <div class="heat-bar">
      <div class="toolbar">
        <AccountSelect account={account} onSelect={props.onAccount} />
        <SelectField
          label="Table"
          isLabelHidden
          value={table}
          onInput={props.onTable}
          options={(names.includes(table) ? names : [table, ...names]).map((name) => ({
            value: name,
            label: name === '' ? 'No table' : name,
          }))}
          isDisabled={table === ''}
        />
        <SelectField
          label="Time"
          isLabelHidden
          value={String(minutes)}
          onInput={(text) => props.onMinutes(Number(text))}
          options={periods.map((period) => ({
            value: String(period),
            label: `Last ${formatCount(period, 'minute')}`,
          }))}
        />
        <Button icon={isPaused ? 'play' : 'pause'} kind={isPaused ? 'primary' : 'plain'} onClick={props.onPause}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      </div>
      <fieldset class="segments">
        <legend class="visually-hidden">Brightness</legend>
        {measures.map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="measure"
              value={name}
              checked={measure === name}
              onChange={() => props.onMeasure(name)}
            />
            {labels[name]}
          </label>
        ))}
      </fieldset>
    </div>
  );
}

import type { JSX } from 'preact';
import type { StreamState } from '../../client/events.ts';
import { formatCount, formatNumber } from '../../format.ts';
import { type TrafficLog, trafficRowsMax } from './traffic-log.ts';

export interface TrafficStatusProps {
  readonly log: TrafficLog;
  /** Number of rows that pass the filter. */
  readonly shown: number;
  readonly state: StreamState;
}

const stateLabels: Readonly<Record<StreamState, string>> = {
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'Connection lost, trying again…',
};

export function TrafficStatus({ log, shown, state }: TrafficStatusProps): JSX.Element {
  const { rows, dropped, isPaused, waiting } = log;
  const word = isPaused && state === 'live' ? 'Paused' : stateLabels[state];
  return (
    <p class="traffic-status">
      <span class={`traffic-state ${isPaused ? 'paused' : state}`} role="status">
        {word}
      </span>
      <span>
        {shown === rows.length
          ? formatCount(rows.length, 'request')
          : `${formatNumber(shown)} of ${formatCount(rows.length, 'request')}`}
        {rows.length === trafficRowsMax && ', the newest ones'}
        {isPaused && `, and ${formatNumber(waiting)} waiting`}
      </span>
      {dropped > 0 && (
        <span class="traffic-dropped">
          {formatCount(dropped, 'more was', 'more were')} answered faster than the console can be sent them
        </span>
      )}
    </p>
  );
}

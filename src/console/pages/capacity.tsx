import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AccountReport, CapacityReport } from '../../capacity/capacity-report.ts';
import { accountOr } from '../client/emulator.ts';
import { listen, type StreamState } from '../client/events.ts';
import { AccountSelect } from '../components/account-select.tsx';
import { Badge, Stat } from '../components/badge.tsx';
import { Empty, Loading } from '../components/empty.tsx';
import { LineChart } from '../components/line-chart.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { formatNumber, formatPercent, formatRate, formatShort } from '../format.ts';
import { hrefOf, navigate, type PageProps } from '../router.ts';
import { HotPartitionList, RefusalList, TableUsageList } from './capacity/lists.tsx';

interface Received {
  readonly report: CapacityReport;
  /** In seconds since 1970. */
  readonly at: number;
}

/** What the load is, where it falls, and what production would have refused. */
export function CapacityPage({ route }: PageProps): JSX.Element {
  const account = accountOr(route.path[0]);
  const { received, state } = useCapacity();
  const report = received?.report;
  const found = report?.accounts.find((one) => one.account === account);
  return (
    <>
      <PageHeader
        title="Capacity"
        description="The load in entity units (1 KiB) a second, averaged over ten seconds, against the service's scalability targets."
      >
        {state === 'lost' && <Badge tone="warning">Connecting again…</Badge>}
        {report && <ModeBadge report={report} />}
        <AccountSelect account={account} onSelect={(name) => navigate(['capacity', name])} />
      </PageHeader>
      {report === undefined && <Loading what="Waiting for the first figures" />}
      {report && !found && <NoLoad isOff={report.throttle === 'off'} />}
      {received && found && <AccountCapacity {...received} account={found} />}
    </>
  );
}

function useCapacity() {
  const [received, setReceived] = useState<Received>();
  const [state, setState] = useState<StreamState>('connecting');
  useEffect(
    () =>
      listen({
        topics: ['capacity'],
        onState: setState,
        onEvent: (_name, data) => setReceived({ report: data as CapacityReport, at: Date.now() / 1000 }),
      }),
    [],
  );
  return { received, state };
}

const modes = {
  off: { tone: 'neutral', text: 'Targets off', title: 'Nothing is counted: --throttle off' },
  observe: {
    tone: 'note',
    text: 'Targets observed',
    title: 'Requests beyond a target are counted and let pass: --throttle observe',
  },
  enforce: {
    tone: 'accent',
    text: 'Targets enforced',
    title: 'Requests beyond a target wait or are refused: --throttle enforce',
  },
} as const;

function ModeBadge({ report: { throttle, scale } }: { readonly report: CapacityReport }): JSX.Element {
  const { tone, text, title } = modes[throttle];
  return (
    <span title={title}>
      <Badge tone={tone}>
        {text}
        {scale !== 1 && `, scaled by ${formatRate(scale)}`}
      </Badge>
    </span>
  );
}

function NoLoad({ isOff }: { readonly isOff: boolean }): JSX.Element {
  if (isOff) {
    return (
      <Empty icon="gauge" title="Capacity is not counted">
        <p>
          The emulator runs with <code>--throttle off</code>. Start it without that flag to see what the load would be
          in production.
        </p>
      </Empty>
    );
  }
  return (
    <Empty icon="gauge" title="No load yet">
      <p>As soon as a program reads or writes entities of this account, its load appears here.</p>
      <a class="button" href={hrefOf(['connect'])}>
        Connect a program
      </a>
    </Empty>
  );
}

interface AccountCapacityProps extends Received {
  readonly account: AccountReport;
}

function AccountCapacity({ report, at, account }: AccountCapacityProps): JSX.Element {
  const { targets } = report;
  const loads = [...account.history, account.unitsPerSecond];
  const seconds = account.history.length;
  const highest = Math.max(...loads);
  // If the load is far below the target, the line of the target would flatten the load.
  const showsTarget = highest > targets.account / 5;
  return (
    <>
      <Figures report={report} account={account} />
      <section class="card">
        <div class="card-head">
          <h2>Load of the account</h2>
          <span class="muted">target: {formatNumber(targets.account)} units a second</span>
        </div>
        <div class="card-body">
          <LineChart
            label={`Load of the last ${seconds} seconds, now ${formatRate(account.unitsPerSecond)} units a second`}
            seconds={seconds}
            times={loads.map((_load, index) => at - seconds + index)}
            lines={[
              {
                name: 'Units a second',
                colour: 'chart-1',
                values: loads,
              },
              ...(showsTarget
                ? [{ name: 'Target', colour: 'error', isLimit: true, values: loads.map(() => targets.account) }]
                : []),
            ]}
          />
        </div>
      </section>
      <TableUsageList account={account} />
      <HotPartitionList account={account} />
      <RefusalList seconds={report.recentRefusals} />
    </>
  );
}

type Totals = Pick<AccountReport['refusals']['account'], 'busy' | 'timedOut' | 'wouldThrottle'>;

function Figures({ report: { targets }, account }: Omit<AccountCapacityProps, 'at'>): JSX.Element {
  const total = Object.values(account.refusals).reduce<Totals>(
    (sum, counts) => ({
      busy: sum.busy + counts.busy,
      timedOut: sum.timedOut + counts.timedOut,
      wouldThrottle: sum.wouldThrottle + counts.wouldThrottle,
    }),
    { busy: 0, timedOut: 0, wouldThrottle: 0 },
  );
  const refused = total.busy + total.timedOut;
  const range = Math.max(0, ...account.tables.flatMap(({ ranges }) => ranges.map(({ ofTarget }) => ofTarget)));
  const partition = account.hotPartitions[0]?.ofTarget ?? 0;
  return (
    <dl class="stats">
      <Stat
        label="Units a second"
        value={formatRate(account.unitsPerSecond)}
        hint={`${formatPercent(account.unitsPerSecond / targets.account)} of the account's target`}
      />
      <Stat
        label="Busiest range"
        value={formatPercent(range)}
        tone={toneOf(range)}
        hint={`of ${formatShort(targets.range)} units a second`}
      />
      <Stat
        label="Busiest partition"
        value={formatPercent(partition)}
        tone={toneOf(partition)}
        hint={`of ${formatShort(targets.partition)} units a second`}
      />
      <Stat
        label="Refused"
        value={formatShort(refused)}
        tone={refused > 0 ? 'error' : 'neutral'}
        hint={`${formatShort(total.busy)} busy, ${formatShort(total.timedOut)} timed out`}
      />
      <Stat
        label="Production would refuse"
        value={formatShort(total.wouldThrottle)}
        tone={total.wouldThrottle > 0 ? 'warning' : 'neutral'}
        hint="let pass here"
      />
      <Stat
        label="Waiting"
        value={formatShort(account.waiting)}
        hint={`${formatShort(account.pagesCut)} pages cut short`}
      />
    </dl>
  );
}

const toneOf = (share: number) => (share >= 1 ? 'error' : share >= 0.7 ? 'warning' : 'neutral');

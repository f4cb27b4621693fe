import type { ComponentChildren, JSX } from 'preact';
import { Badge } from '../../components/badge.tsx';
import { Loading } from '../../components/empty.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { Icon } from '../../components/icon.tsx';
import { Prose } from '../../components/prose.tsx';
import { Text } from '../../components/text.tsx';
import { formatCount, formatDuration, formatNumber } from '../../format.ts';
import { hrefOf } from '../../router.ts';
import { useExplained } from './explained.ts';
import { usePartitionCount } from './partition-count.ts';
import { PlanPicture } from './plan-picture.tsx';
import type { QueryText } from './query-text.ts';
import type { QueryRun, RunReport } from './run-query.ts';
import { planTones } from './run-summary.tsx';

export interface PlanPanelProps {
  readonly query: QueryText;
  /** If undefined, the panel has no figures. */
  readonly run: QueryRun | undefined;
}

/** How the service carries the query out, and what would make it cheaper. */
export function PlanPanel({ query, run }: PlanPanelProps): JSX.Element {
  const { plan, advice, fault } = useExplained(query.filter);
  const partitions = usePartitionCount(query.account, query.table);
  const report = run?.report.value;
  if (fault) return <ErrorBox error={fault.message} />;
  if (!plan) return <Loading what="Planning" />;
  const { kind, reason, bounds, residual } = plan;
  return (
    <div class="plan">
      <div class="plan-head">
        <Badge tone={planTones[kind]}>{kind}</Badge>
        <span>
          <Text text={reason.replace(/^[^:]*: /, '')} />
        </span>
      </div>
      <PlanPicture kind={kind} bounds={bounds} partitions={partitions} report={report} />
      <dl class="plan-facts">
        <Fact name="Bounds of the keys">
          {bounds.length === 0 ? (
            <span class="empty-value">none: every key of the table</span>
          ) : (
            <Code texts={bounds} />
          )}
        </Fact>
        <Fact name="Checked on each entity">
          {residual === null ? <span class="empty-value">nothing</span> : <Code texts={[residual]} />}
        </Fact>
        {report && <Figures report={report} />}
      </dl>
      {report?.remark !== undefined && report.remark !== advice && <Remark text={report.remark} />}
      <Advice advice={advice ?? null} />
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Figures({ report }: { readonly report: RunReport }): JSX.Element {
  const { visited, returned, pages, units, durationMs, hasMore } = report;
  return (
    <>
      <Fact name="Visited for returned">
        {formatNumber(visited)} for {formatNumber(returned)}
        {hasMore && ', so far'}
      </Fact>
      <Fact name="Pages">{formatCount(pages, 'request')}</Fact>
      {units !== undefined && <Fact name="Entity units of 1 KiB">{formatNumber(units)}</Fact>}
      <Fact name="Time">{formatDuration(durationMs)}</Fact>
    </>
  );
}

function Code({ texts }: { readonly texts: readonly string[] }): JSX.Element {
  return (
    <>
      {texts.map((text) => (
        <code key={text}>
          <Text text={text} charsMax={1000} />
        </code>
      ))}
    </>
  );
}

/** Parts of the filter that are probably mistakes, judging by the entities. */
function Remark({ text }: { readonly text: string }): JSX.Element {
  return (
    <div class="advice">
      <Icon name="warning" />
      <p>
        <Text text={text} charsMax={1000} />
      </p>
    </div>
  );
}

function Advice({ advice }: { readonly advice: string | null }): JSX.Element {
  if (advice === null) {
    return (
      <div class="advice good">
        <Icon name="check" />
        <p>The keys lead straight to what is asked for. Nothing is known to make this query cheaper.</p>
      </div>
    );
  }
  return (
    <div class="advice">
      <Icon name="bulb" />
      <p>
        To make it cheaper: <Prose text={advice} />. <a href={hrefOf(['advisor'])}>The advisor</a> looks at all requests
        of your application.
      </p>
    </div>
  );
}

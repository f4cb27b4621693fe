import type { JSX } from 'preact';
import type { AdvisorReport, Cost, Evidence, Finding } from '../../../advisor/report.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { Prose } from '../../components/prose.tsx';
import { Text } from '../../components/text.tsx';
import { formatCount, formatNumber, formatTime } from '../../format.ts';
import { hrefOf } from '../../router.ts';

export interface FindingListProps {
  readonly report: AdvisorReport;
  readonly onRule: (rule: string) => void;
}

export function FindingList({ report: { findings, ignored, requests }, onRule }: FindingListProps): JSX.Element {
  return (
    <div class="stack">
      {findings.length === 0 && <NoFindings requests={requests} />}
      {findings.map((finding) => (
        <FindingCard key={`${finding.rule}/${finding.account}/${finding.table}`} finding={finding} onRule={onRule} />
      ))}
      {ignored.length > 0 && (
        <details class="card ignored">
          <summary>{formatCount(ignored.length, 'ignored finding')}</summary>
          <ul>
            {ignored.map(({ rule, account, table, reason }) => (
              <li key={`${rule}/${account}/${table}`}>
                <code>{rule}</code> {table !== null && <Text text={table} />}: <Text text={reason} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function NoFindings({ requests }: { readonly requests: number }): JSX.Element {
  if (requests === 0) {
    return (
      <Empty icon="bulb" title="No requests yet">
        <p>Run your program or its tests against this emulator; what it could do better appears here.</p>
        <a class="button" href={hrefOf(['connect'])}>
          Connect a program
        </a>
      </Empty>
    );
  }
  return (
    <Empty icon="check" title="Nothing to improve">
      <p>{formatCount(requests, 'request')} were judged, and no rule has anything to say about them.</p>
    </Empty>
  );
}

interface FindingCardProps {
  readonly finding: Finding;
  readonly onRule: (rule: string) => void;
}

function FindingCard({ finding, onRule }: FindingCardProps): JSX.Element {
  const { severity, rule, account, table, count, firstAt, lastAt, why, advice, evidence, cost, pattern, source } =
    finding;
  const saving = savingText(cost);
  return (
    <article class={`card finding ${severity}`}>
      <header class="finding-head">
        <Badge tone={severity}>{severity}</Badge>
        <h2>
          <code>{rule}</code>
          {table !== null && (
            <>
              {' in '}
              <a href={hrefOf(['tables', account, table])}>
                <Text text={table} />
              </a>
            </>
          )}
        </h2>
        <span class="muted finding-when">
          {formatCount(count, 'time')}, {formatTime(firstAt)} – {formatTime(lastAt)}
        </span>
      </header>
      <div class="finding-body">
        <p>
          <Prose text={why} />
        </p>
        <p>
          <strong>Instead:</strong> <Prose text={advice} />
        </p>
        <EvidenceList evidence={evidence} />
        {saving !== '' && (
          <p>
            <strong>Saves about</strong> {saving}.
          </p>
        )}
        <footer class="finding-foot">
          <span class="muted">
            {pattern !== null && `${pattern} · `}
            {source.document}: {source.section}
          </span>
          <Button kind="quiet" icon="book" onClick={() => onRule(rule)}>
            About this rule
          </Button>
        </footer>
      </div>
    </article>
  );
}

/** Shows each request on its own line, and all figures on one line. */
function EvidenceList({ evidence }: { readonly evidence: Evidence }): JSX.Element | null {
  const entries = Object.entries(evidence);
  const texts = entries.filter(([, value]) => typeof value !== 'number');
  const figures = entries.filter(([, value]) => typeof value === 'number');
  if (entries.length === 0) return null;
  return (
    <dl class="evidence">
      {texts.map(([name, value]) => (
        <div key={name}>
          <dt>{wordsOf(name)}</dt>
          <dd>
            {[value].flat().map((text) => (
              <code key={text}>
                <Text text={String(text)} />
              </code>
            ))}
          </dd>
        </div>
      ))}
      {figures.length > 0 && (
        <div>
          <dt>figures</dt>
          <dd>{figures.map(([name, value]) => `${wordsOf(name)} ${formatNumber(value as number)}`).join(', ')}</dd>
        </div>
      )}
    </dl>
  );
}

const wordsOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

export function savingText({ visited, bytes, roundTrips, transactions }: Cost): string {
  const parts: readonly (readonly [number, string, string])[] = [
    [visited, 'entity visited', 'entities visited'],
    [bytes, 'byte', 'bytes'],
    [roundTrips, 'round trip', 'round trips'],
    [transactions, 'billed transaction', 'billed transactions'],
  ];
  return parts
    .filter(([number]) => number > 0)
    .map(([number, one, many]) => formatCount(number, one, many))
    .join(', ');
}

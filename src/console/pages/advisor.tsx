import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { AdvisorReport, Severity } from '../../advisor/report.ts';
import { announce } from '../announce.ts';
import { ApiError, api } from '../client/api.ts';
import { Stat } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Empty, Loading } from '../components/empty.tsx';
import { ErrorBox } from '../components/error-box.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Tabs } from '../components/tabs.tsx';
import { formatMoment, formatNumber, formatShort } from '../format.ts';
import { hrefOf, type PageProps, replaceQuery } from '../router.ts';
import { Checklist, TableUses } from './advisor/checklist.tsx';
import { DownloadDialog } from './advisor/download-dialog.tsx';
import { FindingList } from './advisor/findings.tsx';
import { RuleDialog } from './advisor/rule-dialog.tsx';

const tabNames = ['findings', 'checklist', 'tables'] as const;
type TabName = (typeof tabNames)[number];

/** The report is read again while the page is visible. */
const refreshMs = 10_000;

/** What Microsoft's design guides say of the requests so far. */
export function AdvisorPage({ route: { query } }: PageProps): JSX.Element {
  const { report, fault, load } = useReport();
  const [open, setOpen] = useState<'download' | 'clear'>();
  const tab = tabNames.find((name) => name === query.get('tab')) ?? 'findings';
  const rule = query.get('rule') ?? undefined;
  const show = (next: { readonly tab?: TabName; readonly rule?: string }): void =>
    replaceQuery({ tab: tab === 'findings' ? undefined : tab, rule, ...next });
  return (
    <>
      <PageHeader
        title="Advisor"
        description={
          report
            ? `${formatNumber(report.requests)} requests since ${formatMoment(report.from)}, judged by Microsoft's guides to table design.`
            : "Judges the requests of your programs by Microsoft's guides to table design."
        }
      >
        <Button icon="refresh" onClick={() => void load()}>
          Refresh
        </Button>
        <Button icon="download" isDisabled={!report} onClick={() => setOpen('download')}>
          Download
        </Button>
        <Button icon="trash" isDisabled={!report} onClick={() => setOpen('clear')}>
          Reset
        </Button>
      </PageHeader>
      {fault !== undefined && <Fault error={fault} />}
      {!report && fault === undefined && <Loading what="Judging the requests so far" />}
      {report && <Counts report={report} />}
      {report && (
        <Tabs
          label="Parts of the report"
          selected={tab}
          onSelect={(name) => show({ tab: name })}
          tabs={[
            { name: 'findings', label: `Findings (${report.findings.length})` },
            { name: 'checklist', label: 'Checklist' },
            { name: 'tables', label: 'Tables' },
          ]}
        >
          {tab === 'findings' && <FindingList report={report} onRule={(name) => show({ rule: name })} />}
          {tab === 'checklist' && <Checklist rows={report.checklist} onRule={(name) => show({ rule: name })} />}
          {tab === 'tables' && <TableUses uses={report.tables} />}
        </Tabs>
      )}
      {rule !== undefined && <RuleDialog rule={rule} onClose={() => show({ rule: '' })} />}
      {open === 'download' && <DownloadDialog onClose={() => setOpen(undefined)} />}
      {open === 'clear' && <ClearDialog onClose={() => setOpen(undefined)} onCleared={load} />}
    </>
  );
}

function useReport() {
  const [report, setReport] = useState<AdvisorReport>();
  const [fault, setFault] = useState<unknown>();
  const load = useCallback(async (): Promise<void> => {
    try {
      setReport(await api<AdvisorReport>('advisor'));
      setFault(undefined);
    } catch (error) {
      setFault(error);
    }
  }, []);
  useEffect(() => {
    void load();
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void load();
    }, refreshMs);
    return () => clearInterval(timer);
  }, [load]);
  return { report, fault, load };
}

function Fault({ error }: { readonly error: unknown }): JSX.Element {
  if (!(error instanceof ApiError) || error.code !== 'AdvisorOff') return <ErrorBox error={error} />;
  return (
    <Empty icon="bulb" title="The advisor is off">
      <p>
        The emulator was started with <code>--no-advisor</code>. Start it without that flag to have requests judged.
      </p>
      <a class="button" href={hrefOf(['settings'], { find: 'advisor' })}>
        Show the setting
      </a>
    </Empty>
  );
}

function Counts({ report: { findings, checklist } }: { readonly report: AdvisorReport }): JSX.Element {
  const count = (severity: Severity): number => findings.filter((finding) => finding.severity === severity).length;
  const kept = checklist.filter(({ status }) => status === 'kept').length;
  const broken = checklist.filter(({ status }) => status === 'broken').length;
  const [errors, warnings, notes] = [count('error'), count('warning'), count('note')];
  return (
    <dl class="stats">
      <Stat label="Errors" value={errors} tone={errors > 0 ? 'error' : 'neutral'} />
      <Stat label="Warnings" value={warnings} tone={warnings > 0 ? 'warning' : 'neutral'} />
      <Stat label="Notes" value={notes} />
      <Stat
        label="Checklist"
        value={`${formatShort(kept)} of ${formatShort(kept + broken)}`}
        hint="observed rules are followed"
      />
    </dl>
  );
}

function ClearDialog({
  onClose,
  onCleared,
}: {
  readonly onClose: () => void;
  readonly onCleared: () => Promise<void>;
}) {
  return (
    <Confirm
      title="Reset the advisor?"
      action="Reset"
      onClose={onClose}
      onConfirm={async () => {
        await api('advisor', { method: 'DELETE' });
        announce('The advisor is reset.');
        await onCleared();
      }}
    >
      <p>All findings so far are forgotten. The next report covers the requests from now on.</p>
    </Confirm>
  );
}

import type { ComponentChildren, JSX } from 'preact';
import type { LiveRequest } from '../../../control/observe/live-request.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Icon } from '../../components/icon.tsx';
import { Text } from '../../components/text.tsx';
import { formatBytes, formatDuration, formatMoment, formatNumber, visibleText } from '../../format.ts';
import { hrefOf } from '../../router.ts';
import { stringLiteral } from '../key-filter.ts';
import { credentialText, formatInstant, pageEndText, productionText } from './request-text.ts';
import { TraceLink } from './trace-link.tsx';
import { tableOfRequest } from './traffic-filter.ts';

/** What was asked, what came of it and why. */
export function Overview({ request }: { readonly request: LiveRequest }): JSX.Element {
  const { filter } = request;
  return (
    <div class="details-columns">
      <div class="stack">
        <Staged request={request} />
        <Refusal request={request} />
        <Warning request={request} />
        <Production request={request} />
        {filter !== undefined && (
          <section>
            <h3>Filter</h3>
            <CodeBlock text={visibleText(filter)} what="filter" />
          </section>
        )}
        <section>
          <h3>Request</h3>
          <RequestFacts request={request} />
        </section>
      </div>
      <div class="stack">
        <section>
          <h3>Response</h3>
          <ResponseFacts request={request} />
        </section>
        <section>
          <h3>Client</h3>
          <ClientFacts request={request} />
        </section>
      </div>
    </div>
  );
}

function Staged({ request: { fault } }: { readonly request: LiveRequest }): JSX.Element | null {
  if (fault === undefined) return null;
  return (
    <section class="details-production">
      <h3>
        <Icon name="warning" size={16} />
        Staged: {fault.kind}
      </h3>
      <p>
        The rule <Text text={fault.rule} /> struck this request. <a href={hrefOf(['faults'])}>Faults and clock</a>
      </p>
    </section>
  );
}

function Refusal({ request }: { readonly request: LiveRequest }): JSX.Element | null {
  const { code, message, batch, status } = request;
  const why = request.why ?? batch?.refused?.why ?? [];
  const name = code ?? batch?.refused?.code;
  if (name === undefined) return status >= 400 ? <p class="muted">{closedTexts[status]}</p> : null;
  return (
    <section class="details-refusal">
      <h3>
        <Icon name="error" size={16} />
        Refused: {name}
      </h3>
      {message !== undefined && (
        <p>
          <Text text={message} charsMax={2_000} />
        </p>
      )}
      {why.map((sentence, at) => (
        <p key={at} class="details-why">
          <Text text={sentence} charsMax={4_000} />
        </p>
      ))}
    </section>
  );
}

function Warning({ request: { batch } }: { readonly request: LiveRequest }): JSX.Element | null {
  if (batch?.warning === undefined) return null;
  return (
    <section class="details-production">
      <h3>
        <Icon name="warning" size={16} />
        Malformed batch
      </h3>
      <p class="details-why">
        <Text text={batch.warning} charsMax={4_000} />
      </p>
    </section>
  );
}

const closedTexts: Readonly<Record<number, string>> = {
  499: 'The client disconnected before there was a response.',
  444: 'The emulator closed the connection without a response.',
};

function Production({ request }: { readonly request: LiveRequest }): JSX.Element | null {
  const text = productionText(request);
  if (text === undefined) return null;
  return (
    <section class="details-production">
      <h3>
        <Icon name="gauge" size={16} />
        In production
      </h3>
      <p>
        {text} <a href={hrefOf(['capacity'])}>Capacity</a>
      </p>
    </section>
  );
}

type Fact = readonly [name: string, value: ComponentChildren];

/** A list of facts. Facts without a value are left out. */
function Facts({ facts }: { readonly facts: readonly Fact[] }): JSX.Element {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

const text = (value: string | undefined): JSX.Element | undefined =>
  value === undefined ? undefined : <Text text={value} charsMax={2_000} />;

function RequestFacts({ request }: { readonly request: LiveRequest }): JSX.Element {
  const { account, partitionKey, rowKey, select, ifMatch, bytesIn, atMs, url, method } = request;
  const table = tableOfRequest(request);
  return (
    <Facts
      facts={[
        ['Time', `${formatMoment(atMs)} (${formatInstant(atMs)})`],
        ['Account', account === '' ? undefined : text(account)],
        ['Table', table === undefined ? undefined : <TableLink request={request} table={table} />],
        ['PartitionKey', text(partitionKey)],
        ['RowKey', text(rowKey)],
        ['$select', text(select)],
        ['If-Match', text(ifMatch)],
        ['Body', bytesIn > 0 ? formatBytes(bytesIn) : undefined],
        ['Address', <span class="mono">{text(`${method} ${url}`)}</span>],
      ]}
    />
  );
}

interface TableLinkProps {
  readonly request: LiveRequest;
  readonly table: string;
}

/** A link to the entity, to what the filter selects, or to the table. */
function TableLink({ request, table }: TableLinkProps): JSX.Element {
  const { account, partitionKey, rowKey, filter } = request;
  const key = partitionKey !== undefined && rowKey !== undefined ? { partitionKey, rowKey } : undefined;
  return (
    <>
      <Text text={table} />{' '}
      <a href={hrefOf(['tables', account, table], { filter: key ? keyFilter(key) : filter })}>
        {key ? 'Show the entity' : filter === undefined ? 'Show the table' : 'Show its entities'}
      </a>
    </>
  );
}

const keyFilter = ({ partitionKey, rowKey }: { readonly partitionKey: string; readonly rowKey: string }): string =>
  `PartitionKey eq ${stringLiteral(partitionKey)} and RowKey eq ${stringLiteral(rowKey)}`;

function ResponseFacts({ request }: { readonly request: LiveRequest }): JSX.Element {
  const { status, durationMs, waitedMs, bytesOut, units, plan, visited, returned, version, givesContinuation } =
    request;
  return (
    <Facts
      facts={[
        ['Status', status],
        ['Duration', formatDuration(durationMs)],
        ['Waited for capacity', waitedMs === undefined ? undefined : formatDuration(waitedMs)],
        ['Entity units', units === undefined ? undefined : formatNumber(units)],
        ['Plan', plan],
        ['Keys read', rangeText(request)],
        ['Entities visited', visited === undefined ? undefined : formatNumber(visited)],
        ['Entities returned', returned === undefined ? undefined : formatNumber(returned)],
        ['End of the page', pageEndText(request)],
        ['More pages', plan === undefined ? undefined : givesContinuation ? 'Yes, a continuation' : 'No'],
        ['Body', formatBytes(bytesOut)],
        ['Version of the service', version],
      ]}
    />
  );
}

function rangeText({ range }: LiveRequest): JSX.Element | undefined {
  if (!range) return undefined;
  const { from, before } = range;
  if (!from && !before) return <>The whole table</>;
  return (
    <>
      {from ? <KeyText label="from" {...from} /> : 'from the beginning'}
      {', '}
      {before ? <KeyText label="before" {...before} /> : 'to the end'}
    </>
  );
}

interface KeyTextProps {
  readonly label: string;
  readonly partitionKey: string;
  readonly rowKey: string;
}

function KeyText({ label, partitionKey, rowKey }: KeyTextProps): JSX.Element {
  return (
    <>
      {label} <Text text={partitionKey} />
      {rowKey !== '' && (
        <>
          {' / '}
          <Text text={rowKey} />
        </>
      )}
    </>
  );
}

const TraceId = ({ traceId }: { readonly traceId: string }): JSX.Element => (
  <>
    <span class="mono">{text(traceId)}</span>{' '}
    <a href={hrefOf(['traffic'], { trace: traceId })}>Requests of the trace</a> <TraceLink traceId={traceId} />
  </>
);

function ClientFacts({ request }: { readonly request: LiveRequest }): JSX.Element {
  const { remoteAddress, connection, userAgent, requestId, clientRequestId, traceId } = request;
  return (
    <Facts
      facts={[
        ['Program', text(userAgent)],
        ['Address', `${remoteAddress}, connection ${formatNumber(connection)}`],
        ['Authorized by', credentialText(request)],
        ['Request id', <span class="mono">{requestId}</span>],
        [
          'Client request id',
          clientRequestId === undefined ? undefined : <span class="mono">{text(clientRequestId)}</span>,
        ],
        ['Trace id', traceId === undefined ? undefined : <TraceId traceId={traceId} />],
      ]}
    />
  );
}

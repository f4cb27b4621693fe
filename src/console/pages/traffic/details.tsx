import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { LiveRequest } from '../../../control/observe/live-request.ts';
import { Badge } from '../../components/badge.tsx';
import { IconButton } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { type Tab, Tabs } from '../../components/tabs.tsx';
import { Text } from '../../components/text.tsx';
import { formatCount } from '../../format.ts';
import { HeaderList } from './header-list.tsx';
import { MemberList } from './member-list.tsx';
import { Overview } from './overview.tsx';
import { curlCommand, tanzaniteCommand } from './request-command.ts';
import { toneOf } from './request-text.ts';

export interface TrafficDetailsProps {
  readonly request: LiveRequest;
  readonly onClose: () => void;
}

type TabName = 'overview' | 'headers' | 'members';

/** All that is known of one request. */
export function TrafficDetails({ request, onClose }: TrafficDetailsProps): JSX.Element {
  const { method, url, status, operation, members = [], requestHeaders, responseHeaders } = request;
  const tab = useSignal<TabName>('overview');
  const tabs: Tab<TabName>[] = [
    { name: 'overview', label: 'Overview' },
    { name: 'headers', label: `Headers (${requestHeaders.length + responseHeaders.length})` },
    ...(members.length > 0 ? [{ name: 'members' as const, label: `Batch (${members.length})` }] : []),
  ];
  const command = tanzaniteCommand(request);
  return (
    <section
      class="traffic-details card"
      aria-label={`${operation}, ${status}`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <div class="details-head">
        <h2>
          <Badge tone={toneOf(status)}>{status}</Badge>
          <span>{operation}</span>
          <span class="details-url mono">
            {method} <Text text={url} charsMax={160} />
          </span>
        </h2>
        <div class="toolbar">
          <CopyButton isWordy what="as curl" text={() => curlCommand(request, window.location.origin)} />
          {command !== undefined && <CopyButton isWordy what="as command" text={command} />}
          <IconButton icon="close" label="Close the details" onClick={onClose} />
        </div>
      </div>
      <div class="details-body">
        <Tabs label="Details" tabs={tabs} selected={tab.value} onSelect={(name) => (tab.value = name)}>
          {tab.value === 'overview' && <Overview request={request} />}
          {tab.value === 'headers' && (
            <div class="details-columns">
              <HeaderList title={`Request, ${formatCount(requestHeaders.length, 'header')}`} headers={requestHeaders} />
              <HeaderList
                title={`Response, ${formatCount(responseHeaders.length, 'header')}`}
                headers={responseHeaders}
                hint="The HTTP server adds Date and the headers of the connection."
              />
            </div>
          )}
          {tab.value === 'members' && <MemberList request={request} />}
        </Tabs>
      </div>
    </section>
  );
}

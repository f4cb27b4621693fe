import type { JSX } from 'preact';
import type { LiveMember, LiveRequest } from '../../../control/observe/live-request.ts';
import { Badge } from '../../components/badge.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Text } from '../../components/text.tsx';
import { toneOf } from './request-text.ts';

const textOf = (text: string | undefined): JSX.Element | null => (text === undefined ? null : <Text text={text} />);

const columns = [
  { name: 'Operation', cell: ({ operation }: LiveMember) => operation },
  { name: 'Table', cell: ({ table }: LiveMember) => textOf(table) },
  { name: 'PartitionKey', cell: ({ partitionKey }: LiveMember) => textOf(partitionKey) },
  { name: 'RowKey', cell: ({ rowKey }: LiveMember) => textOf(rowKey) },
  {
    name: 'Status',
    cell: ({ status, code }: LiveMember) => (
      <>
        {status !== undefined && <Badge tone={toneOf(status)}>{status}</Badge>} {code}
      </>
    ),
  },
];

/** The requests inside a batch. */
export function MemberList({ request: { members = [], batch } }: { readonly request: LiveRequest }): JSX.Element {
  const rows = members.map((member, at) => ({ ...member, at }));
  return (
    <>
      {batch?.refused && (
        <p class="hint">
          The batch had {batch.size} requests. Number {batch.refused.index + 1} was refused, so that none was carried
          out.
        </p>
      )}
      <DataTable caption="Requests of the batch" columns={columns} rows={rows} keyOf={({ at }) => String(at)} />
    </>
  );
}

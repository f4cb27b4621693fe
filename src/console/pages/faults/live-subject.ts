import type { LiveMember, LiveRequest } from '../../../control/observe/live-request.ts';
import type { FaultSubject } from '../../../faults/match-rule.ts';

/** A request of the live stream, as rules see it. */
export function subjectOf(request: LiveRequest): FaultSubject {
  const { operation, account, userAgent, url, status, members = [], capacity, credential, fault } = request;
  const [first] = members;
  const shared = {
    account: account === '' ? undefined : account,
    userAgent,
    credential: credential === 'none' ? undefined : credential,
    isOfSecondary: /^\/[^/?]*-secondary(?:[/?]|$)/.test(url),
    // A request without a capacity verdict was refused before it reached a table. A staged fault does not count as a
    // refusal.
    isRefused: status >= 400 && capacity === undefined && fault === undefined,
    followsContinuation: /[?&]Next(?:PartitionKey|TableName)=/.test(url),
  };
  return {
    ...shared,
    operation,
    table: request.table ?? first?.table,
    partitionKey: request.partitionKey ?? first?.partitionKey,
    rowKey: request.rowKey,
    members: members.map((member) => ({ ...shared, ...keysOf(member), operation: member.operation, members: [] })),
  };
}

const keysOf = ({
  table,
  partitionKey,
  rowKey,
}: LiveMember): Pick<FaultSubject, 'table' | 'partitionKey' | 'rowKey'> => ({
  table,
  partitionKey,
  rowKey,
});

import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { checklistPage } from '../sources.ts';

export const connectionChurn = defineRule<'connection-churn'>({
  id: 'connection-churn',
  severity: 'warning',
  title: 'a client opens a connection for nearly every request',
  why: 'A new connection costs two or three round trips before the first byte, and its port stays in use for minutes.',
  advice: 'Create one client object and reuse it. Do not send `Connection: close`.',
  pattern: null,
  source: checklistPage('Increase default connection limit'),
  occasion: ({ all }) => all.length > 0,
  judge({ clients, uses }, { requests, requestsPerConnection }) {
    const tally = new Tally();
    for (const { client, requests: sent, connections } of uses) {
      if (sent <= requests) continue;
      const [by] = clients.get(client) ?? [];
      if (!by || sent / connections >= requestsPerConnection) continue;
      const figures = { requests: sent, connections, userAgent: client.userAgent };
      const evidence = () => ({ ...figures, request: requestText(by) });
      tally.add({
        by,
        table: null,
        subject: client.userAgent,
        times: connections,
        cost: { roundTrips: connections },
        evidence,
      });
    }
    return tally.candidates;
  },
});

// GET /_emulator/refusals: the refused requests of an account, for the report of a failed test.

import { isOfTool, type RequestRecord } from '../../model/request-record.ts';
import { isNoteworthy } from '../../model/summarize-request.ts';
import { type ControlRoute, type ControlTools, checkAccount } from '../control-route.ts';
import { renderLiveRequest } from './live-request.ts';

/** Refusals that are kept for an account: as many as people read. */
const perAccountMax = 20;
/** Accounts for which refusals are kept. The account whose last refusal is oldest is dropped first. */
const accountsMax = 200;

const querySchema = {
  type: 'object',
  additionalProperties: false,
  required: ['account'],
  properties: { account: { type: 'string' }, after: { type: 'string', pattern: '^(0|[1-9][0-9]{0,14})$' } },
} as const;

interface Query {
  readonly account: string;
  readonly after?: string;
}

/** No refusals are kept before the first call of the route, so until then requests cost no more than without it. */
export function refusalsRoute(tools: ControlTools): ControlRoute {
  let kept: RecentRefusals | undefined;
  return {
    method: 'GET',
    url: '/_emulator/refusals',
    schema: { querystring: querySchema },
    handler: async ({ query }, reply) => {
      const { account, after = '0' } = query as Query;
      checkAccount(account, tools.accounts);
      kept ??= keepRefusals(tools);
      return reply.type('application/json; charset=utf-8').send(kept.render(account, Number(after)));
    },
  };
}

function keepRefusals({ requests }: Pick<ControlTools, 'requests'>): RecentRefusals {
  const kept = new RecentRefusals();
  requests.subscribe({ onRequest: (record) => kept.add(record), onClose: () => undefined });
  return kept;
}

interface AccountRefusals {
  /** Number of refusals so far. */
  count: number;
  /** The last refusals as JSON, in order. */
  readonly texts: string[];
}

class RecentRefusals {
  /** The account that was refused last comes last. */
  readonly #accounts = new Map<string, AccountRefusals>();

  add(record: RequestRecord): void {
    if (!isNoteworthy(record) || isOfTool(record)) return;
    const { account } = record;
    const refusals = this.#accounts.get(account) ?? { count: 0, texts: [] };
    refusals.count += 1;
    refusals.texts.push(renderLiveRequest(record));
    if (refusals.texts.length > perAccountMax) refusals.texts.shift();
    this.#accounts.delete(account);
    this.#accounts.set(account, refusals);
    const [oldest] = this.#accounts.keys();
    if (this.#accounts.size > accountsMax && oldest !== undefined) this.#accounts.delete(oldest);
  }

  /** Renders, as JSON, the refusals that follow the first `after`. */
  render(account: string, after: number): string {
    const { count, texts } = this.#accounts.get(account) ?? { count: after, texts: [] };
    const since = Math.max(0, count - after);
    const shown = since === 0 ? [] : texts.slice(-since);
    return `{"count":${count},"dropped":${since - shown.length},"requests":[${shown.join(',')}]}`;
  }
}

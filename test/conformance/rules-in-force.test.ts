// Access policies and CORS rules apply as soon as the emulator has acknowledged their change. A rule never applies
// before it is added or after it is removed, even if the emulator handles requests and changes of rules at the same
// time.

import { describe, expect, it } from 'vitest';
import { ask } from '../support/control-plane.ts';
import { setCors } from '../support/expect-xml.ts';
import { Random } from '../support/random.mjs';
import { startService } from '../support/service.ts';
import { tableToken } from '../support/shared-access-tokens.ts';
import { testSeed as seed } from '../support/test-seed.ts';

const service = await startService();
const account = 'devstoreaccount1';
const table = 'ruled';

/** The numbers of the table's policy and of the CORS rule that apply. 0 means that there is none. */
interface Rules {
  readonly policy: number;
  readonly origin: number;
}

interface Change extends Rules {
  /** When the request for the change was sent, and when its answer was read. */
  readonly begun: number;
  readonly acknowledged: number;
}

/** A counter that orders what happens in this process. */
let moments = 0;
const now = (): number => ++moments;

const originOf = (number: number): string => `http://page${number}.example`;
const policyOf = (number: number): string => `policy${number}`;

async function done(answer: Promise<{ readonly status: number }>): Promise<void> {
  expect((await answer).status).toBeLessThan(300);
}

const control = (method: string, path: string, body?: object): Promise<void> =>
  done(ask(service.origin, { method, path: `/_emulator/${path}`, body }));

async function load(number: number): Promise<void> {
  const { json } = await ask(service.origin, { path: '/_emulator/seed', body: { account } });
  const path = `seed/${(json as { load: string }).load}`;
  await control('PUT', `${path}/tables/${table}`, { signedIdentifiers: [{ id: policyOf(number) }] });
  await control('POST', `${path}/finish`);
}

async function setPolicy(number: number): Promise<void> {
  const xml = `<SignedIdentifiers><SignedIdentifier><Id>${policyOf(number)}</Id></SignedIdentifier></SignedIdentifiers>`;
  const headers = { 'Content-Type': 'application/xml', Accept: 'application/xml' };
  await done(service.send({ method: 'PUT', path: `/${table}?comp=acl`, headers, body: xml }));
}

const setOrigin = (number: number): Promise<unknown> => setCors(service, [{ origins: originOf(number) }]);

/** Makes all changes one after the other, while other requests find out what applies. */
class Attack {
  readonly #random = new Random(seed);
  readonly #changes: Change[] = [{ policy: 0, origin: 0, begun: 0, acknowledged: 0 }];
  #saved: Rules = { policy: 0, origin: 0 };
  #serial = 0;
  isOver = false;
  readonly counts = { policy: [0, 0], origin: [0, 0] };

  get #current(): Change {
    return this.#changes.at(-1) as Change;
  }

  async #change(rules: Partial<Rules>, make: () => Promise<unknown>): Promise<void> {
    const { policy, origin } = this.#current;
    const change = { policy, origin, ...rules, begun: now(), acknowledged: Number.POSITIVE_INFINITY };
    this.#changes.push(change);
    await make();
    change.acknowledged = now();
  }

  async change(): Promise<void> {
    const number = ++this.#serial;
    const kinds: readonly (() => Promise<void>)[] = [
      () => this.#change({ policy: number }, () => setPolicy(number)),
      () =>
        this.#change({ policy: 0 }, () =>
          control('PUT', `policies/${table}?account=${account}`, { signedIdentifiers: [] }),
        ),
      () => this.#change({ policy: number }, () => load(number)),
      () => this.#change({ origin: number }, () => setOrigin(number)),
      () => this.#change({ origin: 0 }, () => setCors(service, [])),
      async () => {
        this.#saved = this.#current;
        await control('PUT', `snapshots/base?account=${account}`);
      },
      () => this.#change(this.#saved, () => control('POST', `snapshots/base/restore?account=${account}`)),
      async () => {
        await this.#change({ policy: 0 }, () => done(service.send({ method: 'DELETE', path: `/Tables('${table}')` })));
        await service.createTable(table);
      },
      async () => {
        await this.#change({ policy: 0, origin: 0 }, () => control('POST', 'reset', { account }));
        await service.createTable(table);
      },
    ];
    await (kinds[this.#random.integer(0, kinds.length - 1)] as () => Promise<void>)();
  }

  /** Sends a request that relies on a current or recent rule, and judges the response. */
  async ask(kind: keyof Rules): Promise<void> {
    const numbers = this.#changes
      .slice(-4)
      .map((change) => change[kind])
      .filter((number) => number !== 0);
    const number = numbers[this.#random.integer(0, numbers.length - 1)] ?? 1;
    const begun = now();
    const isTaken = kind === 'policy' ? await this.#usesPolicy(number) : await this.#usesOrigin(number);
    const ended = now();
    this.counts[kind][isTaken ? 0 : 1] = (this.counts[kind][isTaken ? 0 : 1] ?? 0) + 1;
    const seen = this.#changes.filter(
      (change, at) => change.begun < ended && (this.#changes[at + 1]?.acknowledged ?? Number.POSITIVE_INFINITY) > begun,
    );
    const verdicts = new Set(seen.map((change) => change[kind] === number));
    expect(verdicts, `seed ${seed}: ${kind} ${number} from ${begun} to ${ended}: ${JSON.stringify(seen)}`).toContain(
      isTaken,
    );
  }

  async #usesPolicy(number: number): Promise<boolean> {
    const token = tableToken(table, { si: policyOf(number), sp: 'r' });
    const path = `/${table}()?${token}`;
    const { status } = await service.send({ method: 'GET', path, headers: { Authorization: undefined } });
    // If the table is deleted after the policy was found, the answer is that the table is missing.
    return status === 200 || status === 404;
  }

  async #usesOrigin(number: number): Promise<boolean> {
    const headers = { Authorization: undefined, Origin: originOf(number), 'Access-Control-Request-Method': 'GET' };
    return (await service.send({ method: 'OPTIONS', path: '/Tables', headers })).status === 200;
  }
}

describe('An acknowledged change of policies and CORS rules', () => {
  it(`applies alone to each request that begins after it (seed ${seed})`, async () => {
    await service.createTable(table);
    await control('PUT', `snapshots/base?account=${account}`);
    const attack = new Attack();
    const asking = [0, 1, 2, 3].map(async (number) => {
      while (!attack.isOver) await attack.ask(number % 2 === 0 ? 'policy' : 'origin');
    });
    const changing = (async () => {
      try {
        for (let change = 0; change < 60; change++) await attack.change();
      } finally {
        attack.isOver = true;
      }
    })();
    await Promise.all([changing, ...asking]);
    for (const [taken, refused] of Object.values(attack.counts)) {
      expect(taken).toBeGreaterThan(3);
      expect(refused).toBeGreaterThan(3);
    }
  });
});

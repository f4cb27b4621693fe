// Runs `tanzanite parity` with recorded sessions of the real service. First, parity repeats the requests against the
// emulator, and must find no difference. Meanwhile, the emulator makes a recording of its own answers. Then parity
// repeats the emulator's recording against a server that plays the sessions, and must find only a planted difference.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { developmentAccount } from '../../../src/auth/accounts.ts';
import { startEmulator } from '../../../src/index.ts';
import { systemModelTime } from '../../../src/model/time.ts';
import type { Exchange, NamedValue } from '../../../src/parity/exchange.ts';
import { type Repetition, repeatRecording } from '../../../src/parity/repeat-recording.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const sessionsFolder = fileURLToPath(new URL('../../../../shared/recordings/storage', import.meta.url));
const folder = temporaryFolder();
afterAll(() => folder.remove());

interface Interaction {
  readonly method: string;
  readonly url: string;
  readonly reqHeaders: Readonly<Record<string, string>>;
  readonly reqBody: string | null;
  readonly status: number;
  readonly resHeaders: Readonly<Record<string, string>>;
  readonly resBody: string | null;
}

const sessionsMax = 120;
const create = /^\/Tables(?:\(\))?(?:\?|$)/;

/** Sessions that begin with a new table and use no other. */
function readSessions(): readonly (readonly Interaction[])[] {
  const names = readdirSync(sessionsFolder).filter((name) =>
    /^(?:net-tables|js-tables|py-tables|go-aztables)__/.test(name),
  );
  const sessions: (readonly Interaction[])[] = [];
  for (const name of names) {
    const lines = readFileSync(join(sessionsFolder, name), 'utf8').trimEnd().split('\n');
    const session = lines.map((line) => JSON.parse(line) as Interaction);
    if (isSelfContained(session)) sessions.push(session);
    if (sessions.length === sessionsMax) break;
  }
  return sessions;
}

function createdBy({ method, url, reqBody, status }: Interaction): string | undefined {
  if (method !== 'POST' || !create.test(url) || status >= 300) return undefined;
  return /"TableName":\s?"([A-Za-z0-9]+)"/.exec(reqBody ?? '')?.[1];
}

function isSelfContained(session: readonly Interaction[]): boolean {
  const created = new Set(session.flatMap((one) => createdBy(one) ?? []));
  const [first] = session;
  if (first === undefined || createdBy(first) === undefined) return false;
  return session.every((one) => {
    // A recording contains no signatures, so refusals of signatures cannot be repeated.
    if (one.status === 403 || one.status === 401) return false;
    if (create.test(one.url)) return createdBy(one) !== undefined;
    const [, table, listed] = /^\/(?:Tables\('(\w+)'\)|([$\w]+))/.exec(decodeURIComponent(one.url)) ?? [];
    return created.has(table ?? listed ?? '') || listed === '$batch';
  });
}

const origin = 'https://devstoreaccount1.table.core.windows.net';
const named = (headers: Readonly<Record<string, string>>): NamedValue[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

function entryOf({ method, url, reqHeaders, reqBody, status, resHeaders, resBody }: Interaction): Exchange {
  return {
    startedDateTime: new Date(reqHeaders['x-ms-date'] ?? reqHeaders['date'] ?? 0).toISOString(),
    request: {
      method,
      url: `${origin}${url.replace(/^https?:\/\/[^/]+/, '')}`,
      headers: named(reqHeaders),
      ...(reqBody ? { postData: { mimeType: '', text: reqBody } } : {}),
    },
    response: { status, headers: named(resHeaders), content: { mimeType: '', text: resBody ?? '' } },
  };
}

const head = '{"version":"1.2","creator":{"name":"the service","version":"2014 to 2024"}}';
const change = JSON.stringify({ _dataChange: { account: 'devstoreaccount1' } });

function repeat(path: string, url: string, prefix: string): Promise<Repetition> {
  const { name: account, key } = developmentAccount;
  return repeatRecording({
    path,
    endpoint: { url: `${url}/${account}`, credential: { kind: 'key', account, key } },
    isOfThisMachine: true,
    prefix,
    time: { ...systemModelTime, after: (_, run) => systemModelTime.after(0, run) },
    signal: new AbortController().signal,
    onTable: () => undefined,
    onProgress: () => undefined,
  });
}

/** Returns a function that maps a table name of the recording to the name in this address or body. */
function namesIn(text: string): (given: string) => string {
  const names = new Map<string, string>();
  for (const [there, , name = ''] of text.matchAll(/(playedonce(?:x\d+x)?)([A-Za-z0-9]+)/g)) names.set(name, there);
  return (given) => {
    let result = given;
    for (const [name, there] of names)
      result = result.replaceAll(new RegExp(`(?<![A-Za-z0-9])${name}(?![A-Za-z0-9])`, 'g'), there);
    return result;
  };
}

/** Answers each request with the next recorded response to the same request. */
async function play(
  entries: readonly Exchange[],
  plant: (entry: Exchange) => Exchange,
): Promise<{ readonly url: string; readonly server: Server }> {
  let next = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const rename = namesIn(decodeURIComponent(request.url ?? '') + Buffer.concat(chunks).toString());
      const plain = (url: string): string =>
        decodeURIComponent(url.replace(/^https?:\/\/[^/]+/, '')).split('?')[0] ?? '';
      const wanted = plain(request.url ?? '').replace(`/${developmentAccount.name}`, '');
      const at = entries.findIndex(
        ({ request: { method, url } }, index) =>
          index >= next && method === request.method && rename(plain(url)) === wanted,
      );
      const entry = entries[at];
      if (entry) next = at + 1;
      const { status, headers, content } = entry
        ? plant(entry).response
        : { status: 204, headers: [], content: { text: '' } };
      const base = `http://${request.headers.host}/${developmentAccount.name}`;
      const here = (given: string): string => rename(given.replaceAll(origin, base));
      for (const { name, value } of headers)
        if (!/^(?:transfer-encoding|content-length|connection|date)$/i.test(name))
          response.setHeader(name, here(value));
      response.writeHead(status);
      response.end(here(content.text ?? ''));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

const shown = ({ found }: Repetition): string[] =>
  found.causes.map(
    ({ passing, cause, count, examples }) => `${count} ${passing}: ${cause}, ${JSON.stringify(examples[0])}`,
  );

describe.skipIf(!existsSync(sessionsFolder))('Recorded sessions of the service', () => {
  const recorded = join(folder.path, 'service.ndjson');
  const ours = join(folder.path, 'ours.ndjson');
  const sessions = existsSync(sessionsFolder) ? readSessions().map((session) => session.map(entryOf)) : [];

  it('can be repeated against the emulator without a difference', async () => {
    writeFileSync(
      recorded,
      [head, ...sessions.flatMap((session) => [change, ...session.map((entry) => JSON.stringify(entry))])].join('\n'),
    );
    const emulator = await startEmulator({ port: 0, record: ours });
    const repetition = await repeat(recorded, emulator.url, 'once');
    await emulator.close();
    expect(shown(repetition)).toEqual([]);
    expect(repetition.found.counts.equal).toBeGreaterThan(500);
  });

  it('give the same answers from a server that plays them; a planted difference is reported', async () => {
    let planted: string | undefined;
    const entries = sessions.flat();
    const { url, server } = await play(entries, (entry) => {
      const { response } = entry;
      if (planted !== undefined || !/^(?:PATCH|PUT)$/.test(entry.request.method) || response.status !== 204)
        return entry;
      planted = entry.request.url;
      return { ...entry, response: { ...response, headers: response.headers.filter(({ name }) => name !== 'etag') } };
    });
    // No session contains the removal of tables that ended the first repetition.
    const lines = readFileSync(ours, 'utf8').split('\n');
    writeFileSync(ours, lines.filter((line) => !line.includes('tanzanite-cli/')).join('\n'));
    const repetition = await repeat(ours, url, 'played');
    server.close();
    expect(planted).toBeDefined();
    expect(shown(repetition)).toEqual([expect.stringMatching(/^1 both: header etag is missing there, /)]);
    expect(repetition.found.counts.equal).toBeGreaterThan(500);
  });
});

// Uses `tanzanite parity` to find what Azurite gets wrong. This test records the other tests of this folder, and
// repeats their requests against Azurite. Run it by hand with the folder of the azurite package:
// TANZANITE_AZURITE=…/node_modules/azurite. Azurite 3.37 needs Node 22. If the tests run with an older Node, set
// TANZANITE_AZURITE_NODE to the program file of a newer Node.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { developmentAccount } from '../../../src/auth/accounts.ts';
import { systemModelTime } from '../../../src/model/time.ts';
import { type Exchange, headerIn } from '../../../src/parity/exchange.ts';
import { repeatRecording } from '../../../src/parity/repeat-recording.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const azurite = process.env['TANZANITE_AZURITE'];
const nodeOfAzurite = process.env['TANZANITE_AZURITE_NODE'] ?? process.execPath;
const isRecording = process.env['TANZANITE_TEST_RECORDINGS'] !== undefined;
const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = temporaryFolder();
afterAll(() => folder.remove());

/** Tests in which Azurite 3.37 differs at most in headers, and the reason. */
const notDifferent: readonly RegExp[] = [
  // Azurite and the service agree.
  /agree on the key/,
  /is read back as 1$/,
  // Azurite 3.37 refuses these values like the service.
  /> Edm\.(?:DateTime ""|Double "1e999"|Boolean "maybe"|Banana 5|Decimal 1\.5)$/,
  // Only headers differ, which this test does not count.
  /has all the headers of the service/,
  /escape a per cent sign and double a quote/,
  // `tanzanite parity` does not find these differences. It repeats requests one after another, adapts their addresses
  // and signatures to the endpoint, and compares only the form of ETags.
  /carry out forty batches in parallel/,
  /is accepted in host style/,
  /of a day ago is refused/,
  /bearer token > without a signature is refused/i,
  /ETags of 3,000 successive writes/,
  // Azurite ignores these options, as the service does.
  /that is unknown, .* is ignored/,
];

it.skipIf(azurite === undefined || isRecording)(
  'tanzanite parity finds each known difference of Azurite, and none where both agree',
  { timeout: 900_000 },
  async () => {
    const recordings = join(folder.path, 'recordings');
    mkdirSync(recordings);
    const words = ['vitest', 'run', 'test/conformance/azurite-differs'];
    await promisify(execFile)('npx', ['--no', ...words], {
      cwd: root,
      env: { ...process.env, TANZANITE_TEST_RECORDINGS: recordings },
      maxBuffer: 64 * 1_048_576,
    });
    const found = new Map<string, number>();
    const { url, child } = await startAzurite();
    for (const [at, name] of readdirSync(recordings).sort().entries()) {
      for (const [title, count] of await differing(join(recordings, name), url, at))
        found.set(title, (found.get(title) ?? 0) + count);
    }
    child.kill('SIGKILL');
    const isAlike = (title: string): boolean => notDifferent.some((pattern) => pattern.test(title));
    const [differ, same] = [true, false].map((differs) => [...found].filter(([, count]) => count > 0 === differs));
    expect(same?.map(([title]) => title).filter((title) => !isAlike(title))).toEqual([]);
    expect(differ?.map(([title]) => title).filter(isAlike)).toEqual([]);
    expect(differ?.length).toBeGreaterThan(100);
  },
);

async function startAzurite(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const port = await freePort();
  const main = join(azurite ?? '', 'dist/src/table/main.js');
  const child = spawn(nodeOfAzurite, [
    main,
    '--tablePort',
    String(port),
    '--inMemoryPersistence',
    '--silent',
    '--skipApiVersionCheck',
  ]);
  process.once('exit', () => child.kill('SIGKILL'));
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text: Buffer) => text.includes('successfully started') && resolve());
    child.once('close', () => reject(new Error('Azurite does not start')));
  });
  return { url: `http://127.0.0.1:${port}`, child };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** For each test, the number of requests with a difference beyond headers. */
async function differing(path: string, url: string, at: number): Promise<ReadonlyMap<string, number>> {
  const { name: account, key } = developmentAccount;
  const repetition = await repeatRecording({
    path,
    endpoint: { url: `${url}/${account}`, credential: { kind: 'key', account, key } },
    isOfThisMachine: true,
    prefix: `known${at}`,
    time: systemModelTime,
    signal: new AbortController().signal,
    onTable: () => undefined,
    onProgress: () => undefined,
  });
  const { causes, following } = repetition.found;
  const numbers = new Set([
    ...causes.filter(({ cause }) => !/^(?:in a batch, )?header /.test(cause)).flatMap((cause) => cause.numbers),
    ...following,
  ]);
  const lines = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Partial<Exchange>);
  const counts = new Map<string, number>();
  for (const [index, { request }] of lines.filter((line) => line.request !== undefined).entries()) {
    const title = decodeURIComponent(headerIn(request?.headers ?? [], 'x-test-title') ?? '');
    if (title !== '') counts.set(title, (counts.get(title) ?? 0) + (numbers.has(index + 1) ? 1 : 0));
  }
  return counts;
}

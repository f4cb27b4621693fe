// Tests an executable as new users would run it, on a machine that does not have the executable yet. The script checks
// the version, whether the writes of an SDK survive a kill, the command name azurite, and the licences.
//   node scripts/try-executable.mjs <executable>
// Prints a line for each check that succeeds. Exits with code 0 if all checks succeed, or with code 1 after the first
// check that fails.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { TableClient } from '@azure/data-tables';

const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
const startMaxMs = 120_000;
const acknowledgedMin = 200;
const writers = 20;
const suffix = process.platform === 'win32' ? '.exe' : '';

const [given] = process.argv.slice(2);
if (given === undefined || !existsSync(given)) {
  console.error(`try-executable: ${given === undefined ? 'name an executable' : `there is no file ${given}`}`);
  process.exit(2);
}
const program = resolve(given);
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tanzanite-try-')));
/**
 * An environment with `folder` in place of the user's folders. The files that the executable unpacks are removed
 * together with `folder`.
 */
const env = { PATH: join(folder, 'empty'), HOME: folder, XDG_CACHE_HOME: folder, LOCALAPPDATA: folder, TMPDIR: folder };
const running = new Set();

try {
  await tryVersion();
  await tryKill();
  await tryAzurite();
  tryLicences();
} catch (error) {
  console.error(`try-executable: ${given}: ${error.message}`);
  process.exitCode = 1;
} finally {
  await Promise.all([...running].map(stop));
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

async function tryVersion() {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const printed = print(program, ['--version']).trim();
  hold(printed === version, `it prints the version ${version}`, `it prints ${JSON.stringify(printed)}`);
}

/** Kills the server during writes, and checks that everything that it acknowledged is still there. */
async function tryKill() {
  const words = ['start', '--tablePort', '0', '--location', join(folder, 'data')];
  const first = await start(program, words);
  const client = clientOf(first.url);
  await client.createTable();
  const batch = Array.from({ length: 100 }, (_, row) => ['create', { partitionKey: 'batch', rowKey: `${row}` }]);
  await client.submitTransaction(batch);
  const acknowledged = await writeUntilKilled(client, first.child);
  const second = await start(program, words);
  const found = await namesIn(clientOf(second.url));
  const expected = [...batch.map(([, { rowKey }]) => `batch ${rowKey}`), ...acknowledged];
  const lost = expected.filter((name) => !found.has(name));
  const loss = `${lost.length} of ${expected.length} acknowledged entities are gone after a kill`;
  hold(lost.length === 0, `${expected.length} entities that an SDK wrote are there after a kill`, loss);
  await stop(second.child);
}

/** The names of all entities. Empty if the table does not exist. */
async function namesIn(client) {
  const names = new Set();
  try {
    for await (const { partitionKey, rowKey } of client.listEntities()) names.add(`${partitionKey} ${rowKey}`);
  } catch (error) {
    if (error.statusCode !== 404) throw error;
  }
  return names;
}

/** Writes until the server has been killed. Returns the names of the entities that it acknowledged. */
async function writeUntilKilled(client, child) {
  const acknowledged = [];
  let isKilled = false;
  const write = async (_, writer) => {
    for (let row = 0; ; row += 1) {
      try {
        await client.createEntity({ partitionKey: `${writer}`, rowKey: `${row}`, at: new Date() });
      } catch (error) {
        if (isKilled) return;
        throw error;
      }
      acknowledged.push(`${writer} ${row}`);
      if (acknowledged.length < acknowledgedMin || isKilled) continue;
      isKilled = true;
      child.kill('SIGKILL');
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  await stop(child);
  return acknowledged;
}

/** Runs the executable under Azurite's name, with the flags that Azure Functions Core Tools pass. */
async function tryAzurite() {
  mkdirSync(join(folder, 'names'));
  const azurite = join(folder, 'names', `azurite${suffix}`);
  copyFileSync(program, azurite);
  const printed = print(azurite, ['--version']).trim();
  hold(/^\d+\.\d+\.\d+$/.test(printed), `as azurite it prints ${printed}`, `as azurite it prints ${printed}`);
  const ports = ['blob', 'queue', 'table'].flatMap((service) => [`--${service}Port`, '0']);
  const flags = ['--disableProductStyleUrl', '--skipApiVersionCheck', '--disableTelemetry'];
  const { child, url } = await start(azurite, ['-l', join(folder, 'azurite'), ...ports, ...flags]);
  const client = clientOf(url);
  await client.createTable();
  await client.createEntity({ partitionKey: 'a', rowKey: 'b', name: 'Rex' });
  const { name } = await client.getEntity('a', 'b');
  hold(name === 'Rex', 'as azurite it serves tables', `as azurite it answers ${name}`);
  await stop(child);
}

function tryLicences() {
  const text = print(program, ['licences']);
  const missing = ['Node.js', 'better-sqlite3', 'fastify'].find((title) => !text.includes(title));
  hold(missing === undefined, 'it prints the licences of what is inside', `its licences do not name ${missing}`);
}

function hold(isTrue, claim, refusal) {
  if (!isTrue) throw new Error(refusal);
  console.log(claim);
}

function print(file, words) {
  const options = { env, cwd: folder, encoding: 'utf8', timeout: startMaxMs };
  const { status, stdout, stderr, error } = spawnSync(file, words, options);
  if (error) throw new Error(`${words.join(' ')} cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${(stderr || stdout).trim()}`);
  return stdout;
}

/** Resolves when the ready line of the table service has been printed. */
async function start(file, words) {
  const child = spawn(file, words, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.ended = new Promise((done) => child.once('close', done).once('error', done));
  let said = '';
  const url = await new Promise((found, reject) => {
    const read = (text) => {
      said += text;
      const ready = /Table service is successfully listening at (\S+)/.exec(said);
      if (ready) found(ready[1]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.ended.then(() => reject(new Error(`${words[0]} ended before it was ready: ${said.trim()}`)));
    setTimeout(() => reject(new Error(`${words[0]} was not ready in time: ${said.trim()}`)), startMaxMs).unref();
  });
  return { child, url };
}

/** Also stops the servers that azurite has started. On Windows, no signal can stop them. */
async function stop(child) {
  if (suffix !== '') spawnSync('taskkill', ['/pid', `${child.pid}`, '/t', '/f'], { stdio: 'ignore' });
  else child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), startMaxMs);
  await child.ended;
  clearTimeout(late);
  running.delete(child);
}

function clientOf(url) {
  const endpoint = `TableEndpoint=${url}/devstoreaccount1`;
  const account = `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${key}`;
  const options = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
  return TableClient.fromConnectionString(`${account};${endpoint}`, 'trial', options);
}

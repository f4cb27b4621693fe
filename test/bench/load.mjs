// Generates the load in a separate process: with wrk if it is installed, or else with autocannon. All requests are
// prepared and signed before the load starts. This is possible because a signature is valid for minutes. The generator
// only sends the requests and counts the answers.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const requestTimeoutSeconds = 120;
const scratch = mkdtempSync(join(tmpdir(), 'tanzanite-load-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
let files = 0;

export const generators = { wrk: runWrk, autocannon: runAutocannon };

// The name of the installed generator, or undefined.
export function findGenerator() {
  const { error, stdout } = spawnSync('wrk', ['-v'], { encoding: 'utf8' });
  if (!error) return { name: 'wrk', title: stdout.split(' [')[0].trim() };
  if (existsSync(here('node_modules/autocannon'))) return { name: 'autocannon', title: 'autocannon' };
  return undefined;
}

// Writes requests into a file for run(). The texts may contain the mark of a serial number.
export function prepareRequests(texts) {
  const file = join(scratch, `${++files}.requests`);
  writeFileSync(file, texts.map((text) => `${Buffer.byteLength(text, 'latin1')}\n${text}`).join(''), 'latin1');
  return { file, remove: () => rmSync(file, { force: true }) };
}

// Sends the requests of a file in order, again and again, for the given number of seconds. `check` selects the check of
// each answer: `time` for requests that take long, `end` for requests that take long and must get an answer without a
// continuation, `batch:<parts>` for batches with this number of parts, and `none` for all other requests. Resolves with
// { answered, ratePerSecond, bytesEach, seconds }. Throws if an answer fails the check.
export async function run({
  generator,
  port,
  isSecure = false,
  file,
  serialFrom = 0,
  check = 'none',
  connections,
  seconds,
}) {
  const url = `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`;
  const figures = await generators[generator]({ url, file, serialFrom, check, connections, seconds });
  const { refused, broken, sample } = figures;
  if (refused > 0 || broken > 0) throw new Error(`${refused} requests refused, ${broken} broken: ${sample}`);
  return figures;
}

async function runWrk({ url, file, serialFrom, check, connections, seconds }) {
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', `${requestTimeoutSeconds}s`];
  const given = [file, String(serialFrom), check];
  const output = await readOutput('wrk', [...options, '-s', here('wrk.lua'), url, '--', ...given]);
  const line = /^figures (.*)$/m.exec(output);
  if (!line) throw new Error(`wrk gave no figures: ${output}`);
  const figures = Object.fromEntries(
    line[1].split(' ').map((pair) => [pair.split('=')[0], Number(pair.split('=')[1])]),
  );
  return { ...summarise({ ...figures, check }), sample: /^sample (.*)$/m.exec(output)?.[1] };
}

async function runAutocannon({ url, file, serialFrom, check, connections, seconds }) {
  const given = { url, file, serialFrom, check, connections, seconds, requestTimeoutSeconds };
  const figures = JSON.parse(await readOutput(process.execPath, [here('autocannon.mjs'), JSON.stringify(given)]));
  return { ...summarise({ ...figures, check }), sample: figures.sample };
}

// Requests that are still running at the end of a slice are not counted. If requests take long, their rate is therefore
// measured from the first request to the last answer.
function summarise({ answered, seconds, timed, timedSeconds, bytes, refused, broken, check }) {
  const ratePerSecond = check !== 'none' && timed > 0 ? timed / timedSeconds : answered / seconds;
  return { answered, ratePerSecond, bytesEach: bytes / answered, seconds, refused, broken };
}

function readOutput(command, args) {
  return new Promise((resolve, reject) => {
    // Detached, so that it has its own process group and session: Linux may divide the processors among sessions.
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${command} ended with ${code}: ${output.slice(0, 2_000)}`));
    });
  });
}

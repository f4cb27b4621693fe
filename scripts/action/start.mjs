// The first part of the step: finds the executable, starts the emulator, and passes its address to later steps.
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { downloadExecutable } from './download.mjs';
import { programOf, startEmulator, stopEmulator } from './emulator.mjs';
import { finish } from './report.mjs';
import { addPath, readInputs, runPart, saveState, setOutput, setVariable, UnusableStep } from './workflow.mjs';

/**
 * The key of devstoreaccount1. The key is public and the same in every emulator, so the logs of the job do not mask it.
 */
const developmentKey = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
/**
 * The variable that contains the path of the file that start.mjs writes. A later step with the input `stop` reads the
 * variable. The name does not begin with TANZANITE_, because Tanzanite reads variables with such names as settings.
 */
const stateVariable = 'ACTION_TANZANITE_STARTED';

await runPart(async () => {
  const inputs = readInputs();
  if (inputs.isStop) {
    const path = process.env[stateVariable];
    if (!path) throw new UnusableStep('no earlier step of this job started an emulator.');
    return finish(path, inputs);
  }
  const { version, executable, args, seed, failOn, sarif } = inputs;
  const program = executable ? programOf(executable) : [await downloadExecutable(version)];
  const base = join(process.env['RUNNER_TEMP'] || tmpdir(), 'tanzanite');
  mkdirSync(base, { recursive: true });
  const folder = mkdtempSync(join(base, 'job-'));
  const log = join(folder, 'log');
  const started = await startEmulator(program, { args, seed, log });
  if (version && started.version !== version) {
    await stopEmulator(started.pid);
    throw new UnusableStep(`the version of ${program.join(' ')} is ${started.version}, and the step wants ${version}.`);
  }
  const path = join(folder, 'started.json');
  writeFileSync(path, JSON.stringify({ ...started, program, log, failOn, sarif }), { mode: 0o600 });
  saveState('started', path);
  announce(started.url, { path, program });
});

function announce(url, { path, program }) {
  const protocol = new URL(url).protocol.replace(':', '');
  const account = 'devstoreaccount1';
  const endpoint = `${url}/${account}`;
  const connectionString = `DefaultEndpointsProtocol=${protocol};AccountName=${account};AccountKey=${developmentKey};TableEndpoint=${endpoint};`;
  setOutput('url', url);
  setOutput('connection-string', connectionString);
  setVariable('TANZANITE_URL', url);
  setVariable(stateVariable, path);
  addPath(commandFolder(program, dirname(path)));
  process.stdout.write(`Tanzanite answers at ${url}\n`);
}

/** A folder to add to the PATH of later steps. In it, the command is called tanzanite. */
function commandFolder(program, folder) {
  if (program.length === 1 && /^tanzanite(\.exe)?$/.test(basename(program[0]))) return dirname(program[0]);
  const words = program.map((word) => `"${word}"`).join(' ');
  const command = join(folder, 'tanzanite');
  writeFileSync(command, `#!/bin/sh\nexec ${program.map(quote).join(' ')} "$@"\n`);
  chmodSync(command, 0o755);
  if (process.platform === 'win32') writeFileSync(`${command}.cmd`, `@${words} %*\r\n`);
  return folder;
}

function quote(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

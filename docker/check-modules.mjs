// Starts an image in the way of each module of Testcontainers, Aspire and compose files, and waits for the same signs
// as the module:
//   node docker/check-modules.mjs all|tables CONTAINER IMAGE podman [flags of podman…]
// A module's scripts run in the container, in the shell that the module names. docker/check.sh calls this.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const [wanted, container, image, podman, ...flags] = process.argv.slice(2);
const modules = JSON.parse(readFileSync(new URL('container-modules.json', import.meta.url), 'utf8'));
const portOf = { blob: 10000, queue: 10001, table: 10002 };
const readyWithinMs = 60_000;

// Modules with the same command line share a start, and each of them waits for its own signs.
const chosen = modules.filter(({ tablesOnly }) => wanted === 'all' || tablesOnly);
const startOf = ({ entrypoint, command }) => JSON.stringify([entrypoint, command]);

for (const one of new Set(chosen.map(startOf))) {
  const group = chosen.filter((module) => startOf(module) === one);
  const started = performance.now();
  start(group[0]);
  for (const module of group) {
    for (const line of module.lines ?? []) await until(`the line ${line}`, () => new RegExp(line).test(logs()));
    for (const port of (module.ports ?? []).map((service) => portOf[service])) {
      await until(`port ${port}`, () => shell(`nc -z 127.0.0.1 ${port}`));
      for (const script of module.inside ?? []) await until(script, () => shell(forPort(script, port)));
    }
    if (module.asksBlobs) await until('an answer of the blob service', answersBlobs);
    console.log(`  ${module.name}: ready after ${Math.round(performance.now() - started)} ms`);
  }
  if (!shell('grep -qE "^Uid:[[:space:]]*1000[[:space:]]" /proc/1/status')) fail('it has not given up root');
  stop();
}

/**
 * Starts the image as root, with an engine's default rights. A module without a command, such as Python's, starts it
 * unchanged.
 */
function start({ name, entrypoint, command }) {
  const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096'];
  const program = entrypoint === undefined ? [] : ['--entrypoint', entrypoint];
  const words = command.split(' ').filter(Boolean);
  const { status, stderr } = run(
    'run',
    '-d',
    '--name',
    container,
    '--network',
    'none',
    ...limits,
    ...program,
    image,
    ...words,
  );
  if (status !== 0) fail(`${name}: ${stderr}`);
}

function stop() {
  run('stop', '-t', '10', container);
  const code = run('inspect', '--format', '{{.State.ExitCode}}', container).stdout.trim();
  if (code !== '0') fail(`it ended with code ${code}`);
  run('rm', '-v', container);
}

/** Each question is a process of podman, and several would take more processor time than the start that they wait for. */
async function until(what, isTrue) {
  const end = performance.now() + readyWithinMs;
  for (let pauseMs = 50; !isTrue(); pauseMs = Math.min(pauseMs * 2, 1_000)) {
    if (performance.now() > end) fail(`no ${what}`);
    await setTimeout(pauseMs);
  }
}

function forPort(script, port) {
  const hex = port.toString(16).padStart(4, '0');
  return script.replaceAll('{port}', String(port)).replaceAll('{hex}', hex);
}

function shell(script) {
  return run('exec', container, '/bin/sh', '-c', script).status === 0;
}

function answersBlobs() {
  const program =
    "fetch('http://127.0.0.1:10000/devstoreaccount1?comp=properties').then(({ status }) => process.exit(status === 400 ? 0 : 1))";
  return run('exec', container, 'node', '-e', program).status === 0;
}

function logs() {
  const { stdout, stderr } = run('logs', container);
  return stdout + stderr;
}

function run(...words) {
  return spawnSync(podman, [...flags, ...words], { encoding: 'utf8' });
}

function fail(what) {
  console.error(`${what}\n${logs()}`);
  process.exit(1);
}

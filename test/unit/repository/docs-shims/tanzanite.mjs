#!/usr/bin/env node
// Runs `tanzanite start` for the blocks of a page, on the port of the page. First stops the earlier emulator of the
// page. When the new emulator is ready, it continues in the background. Later blocks use it, as a reader would use an
// emulator in a second terminal.
import { spawn } from 'node:child_process';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const { DOCS_CLI: cli, DOCS_PORT: port, DOCS_STATE: state } = process.env;
const words = process.argv.slice(2);
process.exit(await start());

async function start() {
  await stopRunning();
  const output = openSync(`${state}/output.txt`, 'w');
  const child = spawn(process.execPath, [cli, ...words, '--tablePort', port], {
    detached: true,
    stdio: ['ignore', output, output],
  });
  writeFileSync(`${state}/pid`, String(child.pid));
  for (let tries = 0; tries < 200; tries++) {
    const text = readFileSync(`${state}/output.txt`, 'utf8');
    if (text.includes('successfully listening at')) return 0;
    if (child.exitCode !== null) {
      process.stderr.write(text);
      return child.exitCode;
    }
    await sleep(50);
  }
  process.stderr.write('not ready within 10 s\n');
  return 1;
}

async function stopRunning() {
  const pid = Number(readFileSync(`${state}/pid`, { encoding: 'utf8', flag: 'a+' }) || 0);
  if (pid === 0) return;
  try {
    process.kill(pid, 'SIGTERM');
    for (let tries = 0; tries < 200; tries++) {
      process.kill(pid, 0);
      await sleep(25);
    }
  } catch {
    // The process has already ended.
  }
}

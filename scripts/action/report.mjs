// The last work of an emulator: it makes the advisor's report, and then its process is stopped.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isListening, lastWords, runCommand, stopEmulator } from './emulator.mjs';
import { addSummary, annotate, UnusableStep } from './workflow.mjs';

/**
 * Writes the report and stops the emulator. `path` is the file that start.mjs wrote about the emulator. If this file no
 * longer exists, another step has already stopped the emulator, and this function does nothing. `failOn` and `sarif`
 * override the values that were given at the start. Throws UnusableStep if there are findings that fail the job.
 */
export async function finish(path, { failOn, sarif }) {
  let started;
  try {
    started = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return;
  }
  rmSync(path, { force: true });
  const { program, pid, url, log } = started;
  if (!(await isListening(url))) throw new UnusableStep(`the emulator ended before the job did: ${lastWords(log)}`);
  try {
    report({ program, url, failOn: failOn || started.failOn, sarif: sarif || started.sarif });
  } finally {
    await stopEmulator(pid);
  }
}

function report({ program, url, failOn, sarif }) {
  const markdown = advise(program, url, ['--format', 'markdown', ...(failOn ? ['--fail-on', failOn] : [])]);
  if (markdown.refusal) {
    if (failOn || sarif) throw new UnusableStep(`there is no report of the advisor: ${markdown.refusal}`);
    return annotate('notice', `there is no report of the advisor: ${markdown.refusal}`);
  }
  addSummary(`${markdown.text}\n`);
  if (sarif) {
    const file = resolve(sarif);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, advise(program, url, ['--format', 'sarif']).text);
  }
  if (markdown.hasFindings) {
    throw new UnusableStep(`the advisor has findings of at least the severity ${failOn}: see the summary of the job.`);
  }
}

function advise(program, url, flags) {
  const { status, stdout, stderr } = runCommand(program, ['advise', ...flags], url);
  if (status === 0 || status === 3) return { text: stdout, hasFindings: status === 3 };
  return { refusal: stderr || `the exit code is ${status}.` };
}

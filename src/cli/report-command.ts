import { existsSync, writeFileSync } from 'node:fs';
import { escapeControls } from '../model/printable-text.ts';
import { bundleReport, reportRequestsMax } from '../parity/report-bundle.ts';
import { askAtTerminal } from './ask-at-terminal.ts';
import { UnusableOption } from './exit-codes.ts';
import { countText } from './progress.ts';
import { readRecordingOrRefuse } from './read-recording-file.ts';
import type { ReportFlags } from './report-flags.ts';
import { openStandardOutput, remark } from './standard-output.ts';

/** Prints the report, and writes it to a file if the user confirms. Throws UnusableOption. */
export async function reportCommand(file: string, { requests: ranges, out, yes }: ReportFlags): Promise<void> {
  if (out !== undefined && existsSync(out)) throw new UnusableOption(`${out} exists. Name a new file.`);
  const isChosen = (number: number): boolean =>
    ranges === undefined || ranges.some(({ first, last }) => number >= first && number <= last);
  const { lines, requests } = await readRecordingOrRefuse(file, () => bundleReport(file, isChosen));
  if (requests === 0) throw new UnusableOption(`${file} holds none of these requests.`);
  const output = openStandardOutput();
  for (const line of lines) await output.write(`${output.isTerminal ? escapeControls(line) : line}\n`);
  const limit = requests === reportRequestsMax ? `, the most that a report has` : '';
  remark(
    `tanzanite: ${countText(requests)} ${requests === 1 ? 'request' : 'requests'}${limit}. Read the report before you publish it.`,
  );
  if (out === undefined) return;
  if (!yes) await askAtTerminal(`Write this to ${out}?`, 'confirm with --yes that it may be written');
  write(out, `${lines.join('\n')}\n`);
  remark(`tanzanite: wrote ${out}`);
}

/** Throws UnusableOption. */
function write(out: string, text: string): void {
  try {
    writeFileSync(out, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new UnusableOption(`${out} cannot be written: ${(error as Error).message}.`);
  }
}

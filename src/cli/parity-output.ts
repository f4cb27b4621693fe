// What `tanzanite parity` prints.

import { escapeControls } from '../model/printable-text.ts';
import type { Cause, FoundRequest, Passing } from '../parity/found-differences.ts';
import type { Repetition } from '../parity/repeat-recording.ts';
import { countText } from './progress.ts';
import { openStandardOutput } from './standard-output.ts';

interface Printing {
  readonly file: string;
  readonly url: string;
  readonly json: boolean;
}

/** Returns whether all responses are the same. */
export async function printRepetition(repetition: Repetition, { file, url, json }: Printing): Promise<boolean> {
  const { found, requests, program, server, torn, earlierTables } = repetition;
  const { counts } = found;
  const output = openStandardOutput();
  if (json) {
    const subject = { recording: file, program: program ?? null, against: url, server: server ?? null };
    const { causes, notRepeated } = found;
    await output.write(
      `${JSON.stringify({ ...subject, requests, torn, earlierTables, ...counts, causes, notRepeated })}\n`,
    );
  } else await output.write(`${linesOf(repetition, { file, url }).map(escapeControls).join('\n')}\n`);
  return counts.differing === 0 && counts.following === 0;
}

function linesOf(
  { found, requests, program, server, torn, earlierTables }: Repetition,
  { file, url }: Pick<Printing, 'file' | 'url'>,
): string[] {
  const { equal, differing, following, inHeadersOnly } = found.counts;
  const names = { recorded: program ?? 'the recorded server', there: nameOf(server, url) };
  const lines = [
    `${quantity(requests)} of ${file}, recorded with ${names.recorded}, repeated against ${url}, ${names.there}.`,
  ];
  for (const passing of order)
    lines.push(...section(found.causes, { passing, names, count: found.requestsByPassing[passing], requests }));
  if (following > 0)
    lines.push('', `${countText(following)} more differ because one of the requests above left different data.`);
  const repeated = equal + differing + following;
  for (const { reason, count, numbers } of found.notRepeated)
    lines.push('', `${quantity(count)} not repeated: ${reason} (${numbersText(numbers, count)}).`);
  if (earlierTables > 0) {
    const what = earlierTables === 1 ? '1 table was' : `${countText(earlierTables)} tables were`;
    lines.push(
      '',
      `${what} created before the recording began, or by loading data. The recording does not hold the original entities of such a table.`,
    );
  }
  if (torn > 0)
    lines.push('', `The recording ends in the middle of ${torn} ${torn === 1 ? 'line' : 'lines'}, which are skipped.`);
  lines.push(
    '',
    `${countText(equal)} of ${quantity(repeated)} got the same response${inHeadersOnly > 0 ? `, ${countText(inHeadersOnly)} more except for headers` : ''}.`,
  );
  return lines;
}

const order: readonly Passing[] = ['only there', 'only recorded', 'both', 'neither'];

interface Names {
  readonly recorded: string;
  readonly there: string;
}

interface Section {
  readonly passing: Passing;
  readonly names: Names;
  readonly count: number;
  readonly requests: number;
}

function section(causes: readonly Cause[], { passing, names, count, requests }: Section): string[] {
  const of = causes.filter((cause) => cause.passing === passing);
  if (of.length === 0) return [];
  const head = `${countText(count)} of ${quantity(requests)} ${headings(names)[passing]}:`;
  return ['', head, ...of.flatMap(describeCause)];
}

const headings = ({ recorded, there }: Names): Readonly<Record<Passing, string>> => ({
  'only there': `pass on ${there} and fail on ${recorded}`,
  'only recorded': `pass on ${recorded} and fail on ${there}`,
  both: 'pass on both and are answered differently',
  neither: 'fail on both and are refused differently',
});

const examplesShown = 3;

function describeCause({ cause, count, examples }: Cause): string[] {
  const shown = examples.slice(0, examplesShown);
  const more = count - shown.length;
  return [
    `  ${countText(count)} × ${cause}`,
    ...shown.flatMap(describeExample),
    ...(more > 0 ? [`      and ${countText(more)} more`] : []),
  ];
}

function describeExample({ number, request, recorded, there }: FoundRequest): string[] {
  const lines = [`      ${number}  ${request}`];
  if (recorded !== undefined) lines.push(`          recorded: ${recorded}`);
  if (there !== undefined) lines.push(`          there:    ${there}`);
  return lines;
}

/** `Azurite 3.37.0`, `Azure`, or what the server calls itself. */
function nameOf(server: string | undefined, url: string): string {
  const [, version] = /^Azurite-\w+\/([\w.-]{1,40})/.exec(server ?? '') ?? [];
  if (version !== undefined) return `Azurite ${version}`;
  if (/\.table\.core\.windows\.net(?:\/|$)/i.test(url)) return 'Azure';
  return `the server at ${new URL(url).host}`;
}

const quantity = (count: number): string => `${countText(count)} ${count === 1 ? 'request' : 'requests'}`;

function numbersText(numbers: readonly number[], count: number): string {
  const more = count - numbers.length;
  return `number ${numbers.join(', ')}${more > 0 ? ` and ${countText(more)} more` : ''}`;
}

// Implements `tanzanite capabilities`. The command prints what the emulator does in the same way as Azure, how that is
// known, and which tests show it.

import { type Command, Option } from 'commander';
import {
  type Behaviour,
  type Capability,
  type CapabilityEvidence,
  type CapabilityReport,
  capabilitySubjects,
  evidenceKinds,
  readCapabilities,
} from '../data/capabilities.ts';
import { quote } from '../model/printable-text.ts';
import { clip } from './columns.ts';
import { UnusableOption } from './exit-codes.ts';
import { print } from './standard-output.ts';

const help = `
Recorded: a response of the real service shows it. Documented: a page of
Microsoft's documentation says so. Sdk: an official SDK depends on it. Assumed:
there is no other evidence, so it may be wrong.

With a name, or part of a name, the command prints the rows that match, with
their evidence and tests. It needs no running emulator: it describes this
installation.

Examples:
  tanzanite capabilities
  tanzanite capabilities '$top'
  tanzanite capabilities --subject refusal
  tanzanite capabilities --evidence assumed
  tanzanite capabilities --json`;

interface Flags {
  readonly subject?: Capability['subject'];
  readonly evidence?: (typeof evidenceKinds)[number];
  readonly json?: true;
}

/** `tanzanite capabilities [name]` */
export function addCapabilities(command: Command): void {
  command
    .summary('print what works as in the service, and the evidence for it')
    .description('print what works in the same way as in the service, the evidence for it, and the tests that show it')
    .argument('[name]', 'only operations, options, headers, limits and refusals whose names contain this text')
    .addOption(new Option('--subject <subject>', 'only rows about this subject').choices(subjectWords))
    .addOption(
      new Option('--evidence <kind>', 'only rows with this kind of evidence, even in part').choices(evidenceKinds),
    )
    .option('--json', 'print JSON')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action(printCapabilities);
}

/** In the values of --subject, a hyphen replaces the space. */
const subjectWords = capabilitySubjects.map((subject) => subject.replace(' ', '-'));

/** Throws UnusableOption if no row has the name. */
async function printCapabilities(name: string | undefined, { subject, evidence, json }: Flags): Promise<void> {
  const choice = { name, evidence, subject: capabilitySubjects.find((one) => one.replace(' ', '-') === subject) };
  const report = await readCapabilities(choice);
  if (report.capabilities.length + report.behaviours.length === 0 && name !== undefined) {
    throw new UnusableOption(`nothing has the name ${quote(name)} here; without a name all rows are printed.`);
  }
  print(json ? `${JSON.stringify(report, undefined, 2)}\n` : render(report, { isFull: name !== undefined, evidence }));
}

interface Shown {
  /** Whether rows are shown with evidence and tests. */
  readonly isFull: boolean;
  /** The only kind of evidence to show; undefined for all kinds. */
  readonly evidence: Flags['evidence'];
}

function render(report: CapabilityReport, shown: Shown): string {
  const { capabilities, behaviours } = report;
  const columns = process.stdout.columns ?? Number.POSITIVE_INFINITY;
  const showsBehaviours = shown.isFull || shown.evidence !== undefined;
  const byTraffic = behaviours.toSorted((a, b) => (b.met ?? 0) - (a.met ?? 0));
  const lines = [
    ...capabilities.flatMap((row) => (shown.isFull ? fullRow(row) : [shortRow(row)])),
    ...(showsBehaviours && byTraffic.length > 0
      ? [
          '',
          'Evidence marks in the source, ordered by how many requests of real programs run the marked code:',
          ...byTraffic.flatMap(behaviourLines(shown)),
        ]
      : []),
    '',
    summary(report),
  ];
  return lines.map((line) => `${clip(line, columns)}\n`).join('');
}

const doneWords: Readonly<Record<Capability['done'], string>> = {
  same: 'as the service',
  differs: 'as the service, with deliberate differences',
  refused: 'refused, as the service refuses it',
  own: "the emulator's own",
};

const nameColumns = 40;
const doneColumns = 44;

function shortRow({ subject, name, done, evidence }: Capability): string {
  return `${subject.padEnd(16)} ${name.padEnd(nameColumns)} ${doneWords[done].padEnd(doneColumns)} ${kindsOf(evidence)}`;
}

function kindsOf(evidence: readonly CapabilityEvidence[]): string {
  return [...new Set(evidence.map(({ kind }) => kind))].join(', ');
}

function fullRow({ subject, name, detail, done, differences, evidence, recorded, tests }: Capability): string[] {
  return [
    `${subject} ${name}${detail === undefined ? '' : `: ${detail}`}`,
    `  done      ${[doneWords[done], ...differences].join(', ')}`,
    ...(recorded ? [`  recorded  ${recorded.exchanges} times in ${recorded.sessions} sessions`] : []),
    ...evidence.map((one) => `  known     ${describeEvidence(one)}`),
    ...tests.map(({ file, title }) => `  test      ${file}: ${title}`),
  ];
}

function describeEvidence({ kind, text, by }: CapabilityEvidence): string {
  return `${text ?? kind}${by === undefined ? '' : `, ${by}`}`;
}

const behaviourLines =
  ({ isFull, evidence: wanted }: Shown) =>
  ({ file, name, statement, evidence, met = 0, tests }: Behaviour): string[] => {
    const clauses = evidence.filter(({ kind }) => wanted === undefined || kind === wanted);
    const known = clauses.map(({ kind, text }) => text ?? kind).join('; ');
    return [
      `${String(met).padStart(7)}  ${file} ${name}: ${[statement, known].filter((part) => part !== '').join(' – ')}`,
      ...(isFull ? tests.map(({ file: test, title }) => `         test ${test}: ${title}`) : []),
    ];
  };

function summary({ version, measured, recordings, capabilities, behaviours }: CapabilityReport): string {
  const total = recordings.reduce((sum, row) => sum + row.total, 0);
  const exact = recordings.reduce((sum, row) => sum + row.exact, 0);
  const counted = measured === null ? '' : `, counted with ${measured.version} on ${measured.date}`;
  return `Tanzanite ${version}: ${capabilities.length} rows, ${behaviours.length} marks in the source; ${exact} of ${total} recorded responses are equal${counted}.`;
}

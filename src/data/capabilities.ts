// Reads the file of capabilities, which scripts/capabilities.mjs writes. The file lists the behaviour that matches the
// service, with the evidence for this behaviour and the tests that show it.

import { readFile } from 'node:fs/promises';
import { packageFile } from './package-file.ts';

const path = 'openapi/capabilities.json';

export const capabilitySubjects = [
  'operation',
  'option',
  'request header',
  'response header',
  'limit',
  'refusal',
] as const;

/** An `assumed` statement may be wrong. The others were recorded, or are in documentation or in an SDK. */
export const evidenceKinds = ['recorded', 'documented', 'sdk', 'assumed'] as const;

export interface CapabilityEvidence {
  readonly kind: (typeof evidenceKinds)[number] | 'peers';
  /** The evidence with its source, as the mark in the source code says it. */
  readonly text?: string;
  /** File and declaration of the mark. */
  readonly by?: string;
}

export interface ShowingTest {
  readonly file: string;
  readonly title: string;
}

export interface Capability {
  readonly subject: (typeof capabilitySubjects)[number];
  readonly name: string;
  /** Depends on the subject: verb and address, the operations that accept it, a value, or a status. */
  readonly detail?: string;
  /**
   * How the emulator treats the capability. `same`: as the service does. `differs`: as the service does, except for
   * deliberate differences. `refused`: the emulator refuses the capability, as the service does. `own`: only the
   * emulator has the capability.
   */
  readonly done: 'same' | 'differs' | 'refused' | 'own';
  /** Files of the tests for the differences. */
  readonly differences: readonly string[];
  readonly evidence: readonly CapabilityEvidence[];
  /** How often it occurs in recordings of the service. */
  readonly recorded?: { readonly exchanges: number; readonly sessions: number; readonly session: string };
  readonly tests: readonly ShowingTest[];
}

/** What an evidence mark in the source code says about a declaration. */
export interface Behaviour {
  readonly file: string;
  /** The declaration; `file` for a whole file. */
  readonly name: string;
  readonly statement: string;
  readonly evidence: readonly CapabilityEvidence[];
  /** Number of requests of real programs that run its code. */
  readonly met?: number;
  readonly tests: readonly ShowingTest[];
}

export interface CapabilityReport {
  readonly version: string;
  /** The version and the day on which the numbers were counted. */
  readonly measured: { readonly version: string; readonly date: string } | null;
  /** How many responses of repeated recordings are equal to the recorded ones. */
  readonly recordings: readonly {
    readonly operation: string;
    readonly total: number;
    readonly status: number;
    readonly exact: number;
  }[];
  readonly capabilities: readonly Capability[];
  readonly behaviours: readonly Behaviour[];
}

/** What a report is narrowed to. */
export interface CapabilityChoice {
  readonly subject?: Capability['subject'] | undefined;
  readonly evidence?: (typeof evidenceKinds)[number] | undefined;
  /** Part of a name, in upper or lower case. */
  readonly name?: string | undefined;
}

export async function readCapabilities(choice: CapabilityChoice): Promise<CapabilityReport> {
  const file = packageFile(path);
  if (!file) throw new Error(`${path} is missing: node scripts/capabilities.mjs writes it`);
  return chosen(JSON.parse(await readFile(file, 'utf8')) as CapabilityReport, choice);
}

/** Behaviours have no subject. */
function chosen(report: CapabilityReport, { subject, evidence, name = '' }: CapabilityChoice): CapabilityReport {
  const wanted = name.toLowerCase();
  const isWanted = (row: Capability | Behaviour): boolean =>
    row.name.toLowerCase().includes(wanted) &&
    (evidence === undefined || row.evidence.some(({ kind }) => kind === evidence));
  return {
    ...report,
    capabilities: report.capabilities.filter(
      (row) => (subject === undefined || row.subject === subject) && isWanted(row),
    ),
    behaviours: subject === undefined ? report.behaviours.filter(isWanted) : [],
  };
}

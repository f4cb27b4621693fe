import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { developmentAccount } from '../auth/accounts.ts';
import { Unreachable } from '../data/send-request.ts';
import { systemModelTime } from '../model/time.ts';
import {
  findLeftTables,
  forgetLeftTables,
  type LeftTables,
  noteTables,
  PrefixInUse,
  type TableNotes,
} from '../parity/left-tables.ts';
import { type Repetition, repeatRecording, TablesLeft } from '../parity/repeat-recording.ts';
import { surveyRecording } from '../parity/survey-recording.ts';
import { askAtTerminal } from './ask-at-terminal.ts';
import type { Environment } from './command-context.ts';
import { readConnectionText, warnIfVisible } from './connection-text.ts';
import { askEndpoint, endpointIn, type FoundEndpoint, isLoopback } from './data-endpoint.ts';
import { NoAnswer, UnusableOption } from './exit-codes.ts';
import type { ParityFlags } from './parity-flags.ts';
import { printRepetition } from './parity-output.ts';
import { countText, Interrupted, interruptible, openProgress } from './progress.ts';
import { readKey } from './read-accounts.ts';
import { readRecordingOrRefuse } from './read-recording-file.ts';
import { remark } from './standard-output.ts';
import { stateFolder } from './user-folders.ts';

/** Repeats a recording. Sets exit code 1 if responses differ. Throws UnusableOption, NoAnswer and Interrupted. */
export async function parityCommand(file: string, flags: ParityFlags, environment: Environment): Promise<void> {
  const endpoint = findAgainst(flags, environment);
  const isOfThisMachine = isLoopback(endpoint);
  const survey = await readRecordingOrRefuse(file, () => surveyRecording(file));
  if (survey.requests === 0) throw new UnusableOption(`${file} holds no requests.`);
  const prefix = flags.tablesPrefix ?? drawPrefix();
  if (!isOfThisMachine && !flags.yes) await confirm({ ...survey, prefix, url: endpoint.url });
  const state = stateFolder(environment);
  const folder = state && join(state, 'tanzanite', 'parity');
  if (folder !== undefined) await nameLeftTables(folder, endpoint);
  await refuseUsedPrefix(prefix, endpoint);
  const notes = openNotes(folder, { url: endpoint.url, prefix });
  const describe = (count: number): string => `${countText(count)} requests`;
  const progress = openProgress({ label: 'repeating', describe, isQuiet: flags.json === true });
  const work = (signal: AbortSignal): Promise<Repetition> =>
    repeatRecording({
      path: file,
      endpoint: endpoint.endpoint,
      isOfThisMachine,
      prefix,
      time: systemModelTime,
      signal,
      onTable: (table) => notes?.add(table),
      onProgress: (requests) => progress.update(requests, survey.requests),
    });
  const repetition = await interruptible((signal) => readRecordingOrRefuse(file, () => work(signal)))
    .finally(() => progress.done())
    .catch((error: unknown) => {
      if (!(error instanceof TablesLeft) && !isCutShort(error)) notes?.drop();
      throw explain(error, endpoint);
    });
  notes?.drop();
  const isEqual = await printRepetition(repetition, { file, url: endpoint.url, json: flags.json === true });
  if (!isEqual) process.exitCode = 1;
}

/** Whether the run was interrupted. Its clean-up may then be incomplete. */
const isCutShort = (error: unknown): boolean => error instanceof Interrupted;

/** Throws UnusableOption. */
function findAgainst({ against, insecure }: ParityFlags, environment: Environment): FoundEndpoint {
  const given = insecure ? { insecure } : {};
  if (!/^https?:\/\//i.test(against)) {
    const connection = readConnectionText('--against', against, environment);
    const found = endpointIn(connection.text, connection.source, given);
    warnIfVisible(connection, found, warn);
    return found;
  }
  const url = URL.canParse(against) ? new URL(against) : undefined;
  if (url === undefined || url.search !== '' || url.username !== '')
    throw new UnusableOption(
      '--against is not the address of an account, such as http://127.0.0.1:10002/devstoreaccount1.',
    );
  if (!isLoopback({ url: url.origin }))
    throw new UnusableOption(
      `--against ${url.origin} is not on this machine: give a connection string as @FILE or env:NAME.`,
    );
  const account = url.pathname.replaceAll('/', '') || developmentAccount.name;
  const key = readKey({ account }, environment);
  return endpointIn(
    `AccountName=${account};AccountKey=${key};TableEndpoint=${url.origin}/${account}`,
    '--against',
    given,
  );
}

const warn = (line: string): void => remark(`tanzanite: ${line}`);

/** A prefix that no other program uses. */
const drawPrefix = (): string => `parity${randomBytes(4).toString('hex')}`;

interface Plan {
  readonly requests: number;
  readonly bytes: number;
  readonly prefix: string;
  readonly url: string;
}

/** Throws UnusableOption unless a person at the terminal agrees. */
function confirm({ requests, bytes, prefix, url }: Plan): Promise<void> {
  const what = `${countText(requests)} requests with ${countText(bytes)} bytes will be sent to ${url}; its tables will have names that begin with ${prefix} and be removed at the end`;
  return askAtTerminal(`${what}. Go on?`, `${what}. Confirm it with --yes`);
}

/** Prints which tables killed runs left. Removes those with a prefix that only such a run can have chosen. */
async function nameLeftTables(folder: string, endpoint: FoundEndpoint): Promise<void> {
  for (const left of findLeftTables(folder)) {
    const { tables, url } = left;
    if (url !== endpoint.url) {
      if (tables.length > 0) warn(`tables of an unfinished run remain at ${url}: ${namesText(tables)}.`);
      continue;
    }
    const there = await tablesWith(tables, endpoint);
    const own = there.filter((table) => drawnPrefix.test(table));
    for (const table of own) await askEndpoint(endpoint, { table }, (client) => client.deleteTable(table));
    if (own.length > 0) warn(`removed tables that an unfinished run left: ${namesText(own)}.`);
    const others = there.filter((table) => !own.includes(table));
    // A person chose the prefix of these tables, so they may belong to somebody.
    if (others.length > 0)
      warn(`tables of an unfinished run remain at ${url}: ${namesText(others)}. tanzanite table delete removes one.`);
    else forgetLeft(left);
  }
}

const drawnPrefix = /^parity[\da-f]{8}/;

function forgetLeft(left: LeftTables): void {
  try {
    forgetLeftTables(left);
  } catch (error) {
    warn(`${left.file} cannot be removed: ${(error as Error).message}.`);
  }
}

async function tablesWith(names: readonly string[], endpoint: FoundEndpoint): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  return listTables(endpoint, (name) => wanted.has(name.toLowerCase()));
}

function listTables(endpoint: FoundEndpoint, isWanted: (name: string) => boolean): Promise<readonly string[]> {
  return askEndpoint(endpoint, {}, async (client) => {
    const found: string[] = [];
    for await (const page of client.listTables()) found.push(...page.filter(isWanted));
    return found;
  });
}

const namesShownMax = 20;
const namesText = (names: readonly string[]): string =>
  names.slice(0, namesShownMax).join(', ') +
  (names.length > namesShownMax ? ` and ${names.length - namesShownMax} more` : '');

/** Throws UnusableOption. */
async function refuseUsedPrefix(prefix: string, endpoint: FoundEndpoint): Promise<void> {
  const used = await listTables(endpoint, (name) => name.toLowerCase().startsWith(prefix.toLowerCase()));
  if (used.length > 0)
    throw new UnusableOption(
      `${endpoint.url} has tables whose names begin with ${prefix}: ${namesText(used)}. Choose another --tables-prefix.`,
    );
}

/** Throws UnusableOption. */
function openNotes(
  folder: string | undefined,
  subject: { readonly url: string; readonly prefix: string },
): TableNotes | undefined {
  const why = 'if this run is killed, the next run cannot name the tables that this run leaves';
  if (folder === undefined) {
    warn(`${why}: the user has no home folder, and XDG_STATE_HOME names no folder.`);
    return undefined;
  }
  try {
    return noteTables(folder, subject);
  } catch (error) {
    if (error instanceof PrefixInUse)
      throw new UnusableOption(
        `another run uses the prefix ${subject.prefix} at ${subject.url}. Choose another --tables-prefix.`,
      );
    warn(`${why}: ${(error as Error).message}.`);
    return undefined;
  }
}

function explain(error: unknown, endpoint: FoundEndpoint): unknown {
  if (!(error instanceof TablesLeft)) return explainEnd(error, endpoint);
  const left = `Tables are left there: ${namesText(error.tables)}.`;
  const cause =
    error.cause === undefined
      ? new NoAnswer(`${endpoint.url} did not remove the tables.`)
      : explainEnd(error.cause, endpoint);
  if (cause instanceof Interrupted) return new Interrupted(cause.exitCode, `${cause.message}. ${left}`);
  return new NoAnswer(`${cause instanceof Error ? cause.message : String(cause)} ${left}`);
}

const explainEnd = (error: unknown, { url, hint }: FoundEndpoint): unknown =>
  error instanceof Unreachable ? new NoAnswer(`${url} does not answer any more: ${error.message}. ${hint}`) : error;

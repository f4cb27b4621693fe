// Copies tables of one account to another account, over the REST interface of each account. An entity may be sent again
// after a lost response, or in the next run. This does not change the result, because entities are inserted or
// replaced.

import type { ModelTime } from '../../model/time.ts';
import { NoTableService, ServiceRefusal } from '../table-client.ts';
import { compareTables, type TableComparison } from './compare-tables.ts';
import { type CopiedEntities, type CopyRun, type CopyTally, copyEntities } from './copy-table.ts';
import { fitsPattern } from './name-pattern.ts';
import type { CopySubject, ResumeFile } from './resume-file.ts';
import { Semaphore } from './semaphore.ts';
import { openSide, type Side, SideError } from './side.ts';

export interface CopyOptions extends CopySubject {
  readonly time: Pick<ModelTime, 'nowMs' | 'after'>;
  /** Aborts to interrupt the copy: writes in progress finish, and no more are sent. */
  readonly signal: AbortSignal;
  readonly resume: ResumeFile;
  /** Compares the sides after the copy. */
  readonly verifies: boolean;
  /**
   * Called if a table is copied from the beginning although an earlier run copied a part of the table. `reason` says
   * why.
   */
  readonly onStartedOver: (table: string, reason: string) => void;
  /** Updated as the copy proceeds. */
  readonly tally: CopyTally;
}

export interface TableOutcome {
  readonly name: string;
  /** Number of entities in the source. */
  readonly entities: number;
  /** How many of them the target refused. */
  readonly refused: number;
  /** Whether access policies were copied, the table has none, or why they were not copied. */
  readonly policies: 'copied' | 'none' | { readonly notCopied: string };
  readonly comparison?: TableComparison;
  /** Why the target refuses the table, for example a name that the service does not allow. */
  readonly tableRefused?: string;
}

export const newTally = (): CopyTally => ({
  tables: 0,
  tablesDone: 0,
  entities: 0,
  entitiesWritten: 0,
  transactions: 0,
  repeats: 0,
  entitiesCompared: 0,
  entitiesRefused: 0,
  refusals: [],
});

/** Pages in memory. A page has at most 4 MiB, and takes a few times as much memory until it is written. */
const pagesMax = 8;
const writesMax = 32;
const tablesAtOnceMax = 4;

/** Copies tables. Returns them in the order of the source. Throws SideError, or the signal's reason. */
export async function copyAccount(options: CopyOptions): Promise<readonly TableOutcome[]> {
  const { resume, tally } = options;
  const failed = new AbortController();
  const end = (): void => failed.abort(options.signal.reason);
  options.signal.addEventListener('abort', end);
  if (options.signal.aborted) end();
  const { from, to } = openSides(options, failed.signal);
  const limits = { pages: new Semaphore(pagesMax), writes: new Semaphore(writesMax) };
  const run: CopyRun = { from, to, resume, tally, signal: failed.signal, ...limits };
  try {
    const [names, atTarget] = [await namesToCopy(from, options), new Set(await lowerNames(to))];
    tally.tables = names.length;
    const outcomes = new Map<string, TableOutcome>();
    const waiting = names.values();
    const work = async (): Promise<void> => {
      for (const name of waiting) {
        failed.signal.throwIfAborted();
        outcomes.set(name, await copyTable(run, { name, isNew: !atTarget.has(name.toLowerCase()), options }));
        tally.tablesDone++;
      }
    };
    await allOrFirstError(Array.from({ length: tablesAtOnceMax }, work), failed);
    return names.flatMap((name) => outcomes.get(name) ?? []);
  } finally {
    options.signal.removeEventListener('abort', end);
  }
}

/** The tables that would be copied, and whether the target has them. */
export async function planCopy(options: Omit<CopyOptions, 'resume' | 'verifies' | 'onStartedOver'>) {
  const { from, to } = openSides(options, options.signal);
  const atTarget = new Set(await lowerNames(to));
  return (await namesToCopy(from, options)).map((name) => ({ name, exists: atTarget.has(name.toLowerCase()) }));
}

function openSides(
  { from, to, time, tally }: Pick<CopyOptions, 'from' | 'to' | 'time' | 'tally'>,
  signal: AbortSignal,
): { readonly from: Side; readonly to: Side } {
  const shared = { time, signal, onRepeat: () => void tally.repeats++ };
  return { from: openSide(from, { ...shared, name: 'from' }), to: openSide(to, { ...shared, name: 'to' }) };
}

/** The service's own tables, such as $MetricsCapacityBlob, cannot be written. */
async function namesToCopy(from: Side, { patterns }: Pick<CopyOptions, 'patterns'>): Promise<readonly string[]> {
  return (await from.tableNames()).filter((name) => !name.startsWith('$')).filter(fitsPattern(patterns));
}

/** In lower case: names of tables are not case-sensitive. */
const lowerNames = async (side: Side): Promise<readonly string[]> =>
  (await side.tableNames()).map((name) => name.toLowerCase());

/** Waits for all work. The first failure aborts the rest early. */
async function allOrFirstError(work: readonly Promise<void>[], failed: AbortController): Promise<void> {
  let first: unknown;
  await Promise.all(
    work.map((one) =>
      one.catch((error: unknown) => {
        first ??= error;
        failed.abort(error);
      }),
    ),
  );
  if (first !== undefined) throw first;
}

interface TableToCopy {
  readonly name: string;
  /** Whether the target does not have the table. If an earlier run wrote the table, it was deleted since. */
  readonly isNew: boolean;
  readonly options: CopyOptions;
}

async function copyTable(run: CopyRun, table: TableToCopy): Promise<TableOutcome> {
  const { from, to, resume, tally } = run;
  const { name, isNew, options } = table;
  const lost = await lostText(run, table);
  if (lost) options.onStartedOver(name, lost);
  if (lost || isNew || !resume.tables.has(name)) resume.set(name, { entities: 0, refused: 0 });
  const tableRefused = isNew ? await createTable(to, name) : undefined;
  if (tableRefused !== undefined) return { name, entities: 0, refused: 0, policies: 'none', tableRefused };
  const { entities: before = 0, refused = 0, isDone } = resume.tables.get(name) ?? {};
  tally.entities += before;
  const copied = isDone ? { entities: before, refused } : await resumeTable(run, table);
  const policies = await copyPolicies(run, name, options);
  resume.set(name, { ...copied, isDone: true });
  const comparison = options.verifies
    ? { comparison: await compareTables(from, to, { name, onCompared: () => void tally.entitiesCompared++ }) }
    : {};
  return { name, ...copied, policies, ...comparison };
}

/** Why the entry of the resume file for a table is no longer true; undefined if it is true. */
async function lostText({ to, resume }: CopyRun, { name, isNew }: TableToCopy): Promise<string | undefined> {
  const { entities, refused } = resume.tables.get(name) ?? { entities: 0, refused: 0 };
  if (entities === 0) return undefined;
  if (isNew) return 'it is gone from the target';
  return entities > refused && (await to.isEmpty(name)) ? 'it is empty at the target' : undefined;
}

/** Creates a table. If the target refuses the table, returns the reason. */
async function createTable(to: Side, name: string): Promise<string | undefined> {
  try {
    await to.createTable(name);
    return undefined;
  } catch (error) {
    if (error instanceof SideError && error.status === 400) return error.message;
    throw error;
  }
}

async function resumeTable(run: CopyRun, { name, options }: TableToCopy): Promise<CopiedEntities> {
  const { resume, tally } = run;
  const { next, entities: before = 0 } = resume.tables.get(name) ?? {};
  try {
    return await copyEntities(run, name);
  } catch (error) {
    const isRefused = error instanceof SideError && error.side === 'from' && error.status === 400;
    if (!isRefused || !next) throw error;
    options.onStartedOver(name, `the source refuses to continue: ${error.message}`);
    resume.set(name, { entities: 0, refused: 0 });
    tally.entities -= before;
    return copyEntities(run, name);
  }
}

async function copyPolicies(
  { from, to }: CopyRun,
  name: string,
  options: CopyOptions,
): Promise<TableOutcome['policies']> {
  if (options.from.credential.kind !== 'key' || options.to.credential.kind !== 'key') {
    return { notCopied: 'a shared access signature does not give access to them' };
  }
  try {
    const xml = await from.readPolicies(name);
    if (!/<SignedIdentifier>/.test(xml)) return 'none';
    await to.writePolicies(name, xml);
    return 'copied';
  } catch (error) {
    // A side without policies, such as Cosmos DB, can still have the entities.
    const cause = error instanceof SideError ? error.cause : undefined;
    const side = error instanceof SideError ? options[error.side].url : '';
    if (cause instanceof ServiceRefusal && cause.status !== 403 && cause.status < 500) {
      return { notCopied: `${side} answers ${cause.status} ${cause.code}: ${cause.message}` };
    }
    if (cause instanceof ServiceRefusal && cause.status === 501) return { notCopied: `${side} does not have them` };
    if (cause instanceof NoTableService) return { notCopied: `${side} does not have them: ${cause.message}` };
    throw error;
  }
}

// Writes files under hidden names, and renames them when all files are complete. Exports to one folder do not see each
// other's drafts, because each draft has a random name and is created exclusively. If an export is killed, a later
// export removes the drafts of the killed export.

import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isProcessRunning } from '../model/process-running.ts';
import { writingFault } from './file-fault.ts';
import { policiesFileName } from './table-files.ts';

/** Identifies the machine or container, because process ids of another machine mean nothing here. */
const machineTag = (): string => createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

/** `.Pets.ndjson.4711.0123abcd-0123456789abcdef.part`; earlier versions ended with the process id. */
const draftName =
  /^\.[A-Za-z][A-Za-z0-9]{2,62}\.(?:ndjson|csv|json)\.(\d+)(?:\.([0-9a-f]{8})-[0-9a-f]{16})?\.part(?:\.rows)?$/;

/** After a week without a write, a draft counts as left over, even if a process with its process id runs. */
const idleNsMax = 7n * 86_400n * 1_000_000_000n;

export class ExportDrafts {
  /** When the export began, by the clock of the folder's file system, in ns. */
  readonly begun: bigint;
  readonly #folder: string;
  readonly #token: string;
  readonly #marker: string;
  readonly #drafts: { readonly draft: string; readonly path: string }[] = [];

  private constructor(folder: string, { token, begun }: { readonly token: string; readonly begun: bigint }) {
    this.begun = begun;
    this.#folder = folder;
    this.#token = token;
    this.#marker = draftOf(policiesFileName, token);
  }

  /** The folder must exist. */
  static async open(folder: string): Promise<ExportDrafts> {
    await removeLeftDrafts(folder);
    const token = `${process.pid}.${machineTag()}-${randomBytes(8).toString('hex')}`;
    const marker = join(folder, draftOf(policiesFileName, token));
    await (await open(marker, 'wx')).close();
    const { ctimeNs: begun } = await lstat(marker, { bigint: true });
    await removeLeftDrafts(folder, begun);
    return new ExportDrafts(folder, { token, begun });
  }

  /** The final paths of the files. */
  get paths(): readonly string[] {
    return this.#drafts.map(({ path }) => path);
  }

  /** Writes the draft of this file. `use` also gets the path of a temporary second file. */
  async write(name: string, use: (file: FileHandle, spool: string) => Promise<void>): Promise<void> {
    const draft = join(this.#folder, draftOf(name, this.#token));
    if (name === policiesFileName) await rm(draft);
    const spool = `${draft}.rows`;
    this.#drafts.push({ draft, path: join(this.#folder, name) });
    try {
      await withNewFile(draft, async (file) => {
        await use(file, spool);
        // Only `sync` confirms that everything is on the disk.
        await file.sync();
      });
    } finally {
      await rm(spool, { force: true });
    }
  }

  /** Renames all files, one after another. Throws FileFault, which says how many are renamed. */
  async publish(): Promise<void> {
    let renamed = 0;
    try {
      for (const { draft, path } of this.#drafts) {
        await rename(draft, path);
        renamed += 1;
      }
    } catch (error) {
      const outcome = renamed === 0 ? undefined : `${renamed} of ${this.#drafts.length} files are written`;
      throw writingFault(this.#folder, error, outcome);
    }
  }

  /** Removes the remaining drafts. */
  async close(): Promise<void> {
    const drafts = [join(this.#folder, this.#marker), ...this.#drafts.map(({ draft }) => draft)];
    // An earlier failure is the error to report. A later export removes what remains.
    for (const draft of drafts) await rm(draft, { force: true }).catch(() => undefined);
  }
}

const draftOf = (name: string, token: string): string => `.${name}.${token}.part`;

/** Creates a file. Does not follow a link of this name. */
export async function withNewFile(path: string, use: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await use(file);
  } finally {
    await file.close();
  }
}

/** Removes drafts of processes that have ended. If `now` is known, also removes old drafts of unknown processes. */
async function removeLeftDrafts(folder: string, now?: bigint): Promise<void> {
  const own = machineTag();
  for (const name of await readdir(folder)) {
    const [, pid, machine] = draftName.exec(name) ?? [];
    if (pid === undefined) continue;
    const path = join(folder, name);
    const isDead = (machine === undefined || machine === own) && !isProcessRunning(Number(pid));
    if (isDead || (now !== undefined && (await isOld(path, now)))) await rm(path, { force: true });
  }
}

async function isOld(path: string, now: bigint): Promise<boolean> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  return found !== undefined && now - found.mtimeNs > idleNsMax;
}

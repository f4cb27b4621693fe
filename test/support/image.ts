// Lays out the files of the image in a folder, so that the entry point of the image can run as a process, without a
// container engine.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const requireHere = createRequire(import.meta.url);
const programs = ['tanzanite', 'azurite', 'azurite-blob', 'azurite-queue', 'azurite-table'];

export interface Image {
  readonly folder: string;
  readonly data: string;
  /** By default, starts the program that ENTRYPOINT names. */
  readonly run: (words: readonly string[], options?: RunOptions) => ContainerProcess;
}

interface RunOptions {
  readonly entrypoint?: string;
  /** A command to put before the program, which starts it with other rights. */
  readonly through?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Lays out the image for the duration of a test, with or without a package of Azurite. */
export type LayOutImage = (azurite?: string) => Image;

/**
 * Call this function at the top of a test file. All images of the test file share the program's files, so no image may
 * write to these files. The images are readable for other users, because the entry point switches to another user.
 */
export function useImages(): LayOutImage {
  const temporary = temporaryFolder();
  const app = join(temporary.path, 'app');
  beforeAll(() => {
    mkdirSync(app);
    for (const path of [temporary.path, app]) chmodSync(path, 0o755);
    cpSync(join(root, 'dist'), join(app, 'dist'), { recursive: true });
    copyDriver(join(app, 'node_modules'));
  });
  afterAll(() => temporary.remove());
  return (azurite) => layOut(app, azurite);
}

function layOut(app: string, azurite: string | undefined): Image {
  const temporary = temporaryFolder();
  onTestFinished(() => temporary.remove());
  const folder = temporary.path;
  const [bin, data] = ['bin', 'data'].map((name) => join(folder, name)) as [string, string];
  for (const path of [bin, data]) mkdirSync(path);
  for (const path of [folder, bin, data]) chmodSync(path, 0o755);
  for (const name of programs) symlinkSync(join(app, 'dist/image.js'), join(bin, name));
  if (azurite !== undefined) cpSync(azurite, join(folder, 'packages/azurite'), { recursive: true });
  const env = { ...process.env, NODE_PATH: join(folder, 'packages'), SQLITE_TMPDIR: data, TANZANITE_IMAGE: data };
  return {
    folder,
    data,
    run: (words, { entrypoint = azurite ? 'azurite' : 'tanzanite', through = [], env: own = {} } = {}) => {
      const [command, ...args] = [...through, process.execPath, join(bin, entrypoint), ...words] as [
        string,
        ...string[],
      ];
      const started = new ContainerProcess(spawn(command, args, { cwd: data, env: { ...env, ...own } }));
      onTestFinished(async () => void (await started.end()));
      return started;
    },
  };
}

/**
 * Copies the SQLite driver, but not its sources, which would be the larger part of the copy. Version 12 (for Node 20)
 * needs two more packages to find its addon.
 */
function copyDriver(place: string): void {
  const folder = dirname(requireHere.resolve('better-sqlite3/package.json'));
  const filter = (path: string): boolean => !/\/(deps|src|obj)$/.test(path);
  for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path']) {
    const source = join(dirname(folder), name);
    if (existsSync(source)) cpSync(source, join(place, name), { recursive: true, filter });
  }
}

export class ContainerProcess {
  stdout = '';
  stderr = '';
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #waiting = new Set<() => void>();

  constructor(child: ChildProcess) {
    this.#child = child;
    const look = (): void => {
      for (const check of this.#waiting) check();
    };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      look();
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve) => child.once('close', resolve));
    void this.ended.then(look);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Waits for a text on standard output, and returns the match. Throws if the process ends before. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    const found = await new Promise<RegExpExecArray | null>((resolve) => {
      const check = (): void => {
        const match = pattern.exec(this.stdout);
        if (match || this.#child.exitCode !== null) resolve(match);
      };
      this.#waiting.add(check);
      check();
    });
    if (found === null) throw new Error(`ended without ${pattern}: ${this.stdout}${this.stderr}`);
    return found;
  }

  async end(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    return this.ended;
  }
}

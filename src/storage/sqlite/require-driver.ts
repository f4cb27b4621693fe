import { createRequire } from 'node:module';
import Database from 'better-sqlite3';
import { StoreUnavailable } from '../store-unavailable.ts';

/**
 * Throws StoreUnavailable if SQLite cannot be loaded, with the command that helps, so that the start fails and not the first
 * request. The addon is missing if the package manager did not run its install script.
 */
export function requireDriver(): void {
  refuseCrash();
  try {
    new Database(':memory:').close();
  } catch (error) {
    throw new StoreUnavailable('driverMissing', `SQLite cannot be loaded: ${reasonOf(error)}.`);
  }
}

/** Evidence: Node 20.20 ends with a segmentation fault when better-sqlite3 13 opens a database; 12 works. */
function refuseCrash(): void {
  const napi = Number(process.versions.napi);
  if (napi >= 10) return;
  const { version } = requireHere('better-sqlite3/package.json') as { version: string };
  if (Number.parseInt(version, 10) < 13) return;
  const needs = `better-sqlite3 ${version} needs Node 22.14 or newer, and this is ${process.version}`;
  const command = `${isPnpm() ? 'pnpm add' : 'npm install'} better-sqlite3@12`;
  throw new StoreUnavailable('driverMissing', `SQLite cannot be loaded: ${needs}. Run: ${command}.`);
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const command = isPnpm() ? 'pnpm approve-builds' : 'npm rebuild better-sqlite3';
  if (/bindings file|Cannot find module|No native build/i.test(message)) {
    return `better-sqlite3 is without its addon: its install script was not run. Run: ${command}`;
  }
  if (message.includes('NODE_MODULE_VERSION')) {
    return `the addon of better-sqlite3 was built for another version of Node. Run: ${command}`;
  }
  return `${message.split('\n', 1)[0]}. Perhaps this helps: ${command}`;
}

const requireHere = createRequire(import.meta.url);

/** pnpm's folders are recognizable. */
const isPnpm = (): boolean => /[\\/]\.pnpm[\\/]/.test(requireHere.resolve('better-sqlite3'));

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { StoreUnavailable } from '../../store-unavailable.ts';

/**
 * Throws StoreUnavailable if SQLite cannot be loaded. The error names the command that repairs the installation. With
 * this check, the emulator fails when it starts and not at its first request. A common cause is that the package
 * manager did not run the install script, so the addon is missing.
 */
export function requireDriver(): void {
  const driver = installedDriver();
  const fault = crashOf(driver) ?? loadFault(driver);
  if (fault !== undefined) throw new StoreUnavailable('driverMissing', `SQLite cannot be loaded: ${fault}`);
}

/** The installed release of better-sqlite3, and the tool that installed it. */
interface InstalledDriver {
  readonly version: string;
  readonly installedBy: 'npm' | 'pnpm' | 'clone';
}

/** Node 20.20 ends with a segmentation fault when better-sqlite3 13 opens a database. better-sqlite3 12 works. */
function crashOf({ version, installedBy }: InstalledDriver): string | undefined {
  if (Number(process.versions.napi) >= 10 || majorOf(version) < 13) return undefined;
  const commands = {
    clone: 'npm run prepare',
    pnpm: 'pnpm add better-sqlite3@12',
    npm: 'npm install better-sqlite3@12',
  };
  return `better-sqlite3 ${version} needs Node 22.14 or newer, but this is ${process.version}. Run: ${commands[installedBy]}.`;
}

function loadFault(driver: InstalledDriver): string | undefined {
  try {
    new Database(':memory:').close();
    return undefined;
  } catch (error) {
    return reasonOf(error instanceof Error ? error.message : String(error), driver);
  }
}

function reasonOf(message: string, { version, installedBy }: InstalledDriver): string {
  const isOlder = majorOf(version) < 13;
  const commands = { clone: 'npm run prepare', pnpm: 'pnpm approve-builds', npm: 'npm rebuild better-sqlite3' };
  // Version 13 of better-sqlite3 has no install script. Its package contains the addons for the usual systems. For
  // other systems, `build-release` compiles the addon.
  const command = isOlder ? commands[installedBy] : 'npm explore better-sqlite3 -- npm run build-release';
  if (/bindings file|Cannot find module|No native build/i.test(message)) {
    return isOlder
      ? `better-sqlite3 is without its addon: its install script was not run. Run: ${command}.`
      : `better-sqlite3 ${version} has no addon for ${process.platform} on ${process.arch}. Run: ${command}.`;
  }
  if (message.includes('NODE_MODULE_VERSION')) {
    return `the addon of better-sqlite3 was built for another version of Node. Run: ${command}.`;
  }
  return `${message.split('\n', 1)[0]}. Perhaps this helps: ${command}.`;
}

const majorOf = (version: string): number => Number.parseInt(version, 10);

const requireHere = createRequire(import.meta.url);

function installedDriver(): InstalledDriver {
  const file = requireHere.resolve('better-sqlite3/package.json');
  const { version } = requireHere(file) as { version: string };
  // Only a clone has this file next to node_modules, and pnpm's folders are recognizable.
  const isClone = existsSync(join(dirname(file), '../../scripts/fit-driver.mjs'));
  return { version, installedBy: isClone ? 'clone' : /[\\/]\.pnpm[\\/]/.test(file) ? 'pnpm' : 'npm' };
}

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { askEmulator, type ControlAddress } from './ask-emulator.ts';
import type { CommandContext, Environment } from './command-context.ts';
import {
  addControlFlags,
  type ControlFlags,
  defaultUrl,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import { UnusableOption } from './exit-codes.ts';
import { print } from './standard-output.ts';
import { type Trusting, trustLines } from './trust-lines.ts';

const help = `
The command asks a running emulator that was started with --https auto, or
reads the emulator's folder. It changes no trust store. --trust prints one line
for a shell. After it, programs that the shell starts trust the authority.

Examples:
  tanzanite ca > authority.pem
  tanzanite ca --location ./tanzanite-data > authority.pem
  eval "$(tanzanite ca --trust node)"
  eval "$(tanzanite ca --trust java)"
  docker run $(tanzanite ca --trust container) IMAGE

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

interface AuthorityFlags extends ControlFlags {
  readonly location?: string;
  readonly httpsDir?: string;
  readonly trust?: Trusting;
}

/** `tanzanite ca` */
export function addCertificateAuthority(command: Command, { environment }: CommandContext): void {
  addControlFlags(command)
    .summary('print the certificate authority of an emulator with --https auto')
    .description("print the authority's certificate, which clients must trust if the emulator uses --https auto")
    .option('--location <folder>', 'read it from this location of an emulator')
    .option('--https-dir <folder>', 'read it from this --https-dir folder')
    .addOption(
      new Option('--trust <program>', 'print a line that makes the given kind of program trust the authority').choices(
        Object.keys(trustLines),
      ),
    )
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((flags: AuthorityFlags) => printAuthority(flags, environment));
}

/** Throws UnusableOption. Throws NoAnswer if it asks a running emulator and gets no answer. */
async function printAuthority(flags: AuthorityFlags, environment: Environment): Promise<void> {
  const { location, httpsDir, trust } = flags;
  if (location !== undefined && httpsDir !== undefined)
    throw new UnusableOption('--location and --https-dir contradict each other. Give one of them.');
  const folder = httpsDir ?? (location === undefined ? undefined : join(location, 'https'));
  const address = folder === undefined ? readControlAddress(flags, environment) : undefined;
  const found = address ? await askForAuthority(address) : await readAuthorityIn(resolve(folder ?? ''));
  if (trust === undefined) {
    print(found.certificate);
    return;
  }
  const line = trustLines[trust];
  const file = fileHere(found);
  if (file !== undefined) print(`${line(quoted(file))}\n`);
  else if (trust !== 'container') print(`${saveLine(address)} && ${line(`"$PWD/${savedFile}"`)}\n`);
  else throw new UnusableOption('--trust container needs a file: start the emulator with --https-authority FILE.');
}

interface Authority {
  /** PEM. */
  readonly certificate: string;
  readonly file: string | null;
}

async function askForAuthority(address: ControlAddress): Promise<Authority> {
  const question = { method: 'GET', path: 'certificate-authority', expects: 'certificate' } as const;
  return (await askEmulator(question, address)) as unknown as Authority;
}

async function readAuthorityIn(folder: string): Promise<Authority> {
  const { readAuthority } = await import('../identity/https-certificates.ts');
  try {
    const found = readAuthority(folder);
    if (found) return found;
  } catch (error) {
    throw new UnusableOption(error instanceof Error ? error.message : String(error));
  }
  throw new UnusableOption(
    `${folder} holds no certificate authority. Start the emulator with --https auto, which makes one.`,
  );
}

/** The authority's file, if it is on this machine: an emulator in a container names a path inside the container. */
function fileHere({ certificate, file }: Authority): string | undefined {
  try {
    return file !== null && readFileSync(file, 'utf8') === certificate ? file : undefined;
  } catch {
    return undefined;
  }
}

const savedFile = 'tanzanite-authority.pem';

function saveLine(address: ControlAddress | undefined): string {
  // npm sets npm_command for npx and for scripts. In these cases, the command `tanzanite` may be missing from the
  // user's PATH.
  const command = process.env['npm_command'] === undefined ? 'tanzanite' : 'npx --no tanzanite';
  const { url = defaultUrl, isInsecure = false } = address ?? {};
  const flags = `${url === defaultUrl ? '' : ` --url ${url}`}${isInsecure ? ' --insecure' : ''}`;
  return `${command} ca${flags} > ${savedFile}`;
}

const quoted = (path: string): string => (/^[\w/.@%+:-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

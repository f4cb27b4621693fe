// `tanzanite env`: the environment of a program that gets its tokens from the emulator.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { writeCredentialFiles } from '../identity/credential-files.ts';
import { identityVariables } from '../identity/variables.ts';
import { askEmulator } from './ask-emulator.ts';
import type { CommandContext } from './command-context.ts';
import {
  addControlFlags,
  type ControlFlags,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import { UnusableOption } from './exit-codes.ts';
import { exportLine } from './export-line.ts';
import { print, remark } from './standard-output.ts';

const help = `
With these variables, DefaultAzureCredential, the credentials of an application
and managed identity get their tokens from the emulator, in every language. The
program need not change. The libraries use HTTPS and must trust the emulator's
certificate.

The certificate and the federated token are files in the data folder. --files
writes copies of them. Only their owner can read these files.

Examples:
  eval "$(tanzanite env --identity)"
  tanzanite env --identity --format dotenv > .env
  tanzanite env --identity --url https://localhost:10002 --files ./identity

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

/**
 * Returns a line of a .env file, which docker, compose and dotenv can read. A value that contains quotes, spaces or
 * other special characters is in single quotes.
 */
const dotenvLine = (name: string, value: string): string =>
  `${name}=${/^[\w.:/@%+=,-]*$/.test(value) ? value : `'${value}'`}`;

const formats = { ...exportLine, dotenv: dotenvLine };

interface EnvFlags extends ControlFlags {
  readonly identity?: true;
  readonly client?: string;
  readonly files?: string;
  readonly format: keyof typeof formats | 'json';
}

/** What GET /_emulator/identity/environment answers. */
interface Environment {
  readonly clientId: string;
  readonly secret: string | null;
  readonly identityHeader: string;
  readonly identityEndpointPath: string;
  readonly certificate: string | null;
  readonly federatedToken: string;
  readonly servesHttps: boolean;
  readonly files: { readonly certificate?: string; readonly federatedToken: string } | null;
}

/** `tanzanite env --identity` */
export function addEnv(command: Command, { environment, notice }: CommandContext): void {
  addControlFlags(
    command
      .summary('print the environment of a program that uses the emulator')
      .description('print the environment of a program that gets its tokens from a running emulator')
      .option('--identity', 'print the variables of the identity libraries'),
  )
    .option('--client <id>', 'use this principal (default: the default principal)')
    .option('--files <folder>', 'write certificate and federated token into this folder')
    .addOption(
      new Option('--format <name>', 'print the variables for this shell, as a .env file or as JSON')
        .choices([...Object.keys(formats), 'json'])
        .default('sh'),
    )
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action(async (flags: EnvFlags) => {
      if (!flags.identity) {
        throw new UnusableOption(
          'env: give --identity. tanzanite connection-string --export prints variables with a connection string.',
        );
      }
      const address = readControlAddress(flags, environment);
      const query = flags.client === undefined ? '' : `?clientId=${encodeURIComponent(flags.client)}`;
      const path = `identity/environment${query}`;
      const given = await askEmulator({ method: 'GET', path, expects: 'identityHeader' }, address);
      printVariables(given as unknown as Environment, { url: address.url, flags, notice });
    });
}

interface Printing {
  readonly url: string;
  readonly flags: EnvFlags;
  readonly notice: CommandContext['notice'];
}

function printVariables(given: Environment, { url, flags, notice }: Printing): void {
  const files = flags.files === undefined ? given.files : writeFiles(flags.files, given);
  const found = files !== null && existsSync(files.federatedToken) ? files : undefined;
  const variables = identityVariables({
    ...given,
    url,
    certificateFile: found?.certificate,
    federatedTokenFile: found?.federatedToken,
  });
  const { format } = flags;
  if (format === 'json') print(`${JSON.stringify(variables, undefined, 2)}\n`);
  else {
    const lines = Object.entries(variables).map(([name, value]) => `${formats[format](name, value)}\n`);
    print(lines.join(''));
  }
  if (!found) remark('the certificate and the federated token are not in files: give --files <folder> to write them');
  if (!given.servesHttps) {
    notice(
      'the identity libraries refuse an authority over HTTP: start the emulator with --https auto or a certificate.',
    );
  }
}

/** Throws UnusableOption. */
function writeFiles(folder: string, { certificate, federatedToken }: Environment): NonNullable<Environment['files']> {
  try {
    return writeCredentialFiles(resolve(folder), {
      name: 'client',
      certificate: certificate ?? undefined,
      federatedToken,
    });
  } catch (error) {
    throw new UnusableOption(`--files: ${error instanceof Error ? error.message : error}`);
  }
}

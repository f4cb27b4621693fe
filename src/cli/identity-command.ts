import { type Command, InvalidArgumentError } from 'commander';
import { escapeControls } from '../model/printable-text.ts';
import { askEmulator, type Question } from './ask-emulator.ts';
import type { CommandContext } from './command-context.ts';
import {
  addControlFlags,
  type ControlFlags,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import { print } from './standard-output.ts';

const help = `
The emulator must run with --identity. tanzanite env --identity prints the
variables with which a program gets its tokens from the emulator.

Examples:
  tanzanite identity show
  tanzanite identity principal --name reader --role "Storage Table Data Reader"
  curl -H "Authorization: Bearer $(tanzanite identity token)" \\
    -H x-ms-version:2020-12-06 http://127.0.0.1:10002/devstoreaccount1/Tables
  tanzanite identity rotate

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

interface IdentityFlags extends ControlFlags {
  readonly json?: true;
}

interface TokenFlags extends IdentityFlags {
  readonly client?: string;
  readonly audience?: string;
  readonly minutes?: number;
}

interface PrincipalFlags extends IdentityFlags {
  readonly name?: string;
  readonly role: readonly string[];
}

type Answer = Readonly<Record<string, unknown>>;

/** `tanzanite identity` */
export function addIdentity(command: Command, { environment }: CommandContext): void {
  const ask = async (
    question: Omit<Question, 'path'> & { readonly below?: string },
    flags: IdentityFlags,
    describe: (answer: Answer) => string,
  ): Promise<void> => {
    const { below = '', ...others } = question;
    const answer = await askEmulator({ ...others, path: `identity${below}` }, readControlAddress(flags, environment));
    print(flags.json ? `${JSON.stringify(answer)}\n` : describe(answer));
  };
  command
    .summary('show and use the token issuer of a running emulator')
    .description('show and use the token issuer of a running emulator')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', help);
  addFlags(command.command('show'))
    .description('list principals and keys, and count the tokens issued')
    .action((flags: IdentityFlags) => ask({ method: 'GET', expects: 'principals' }, flags, describeReport));
  addFlags(command.command('token'))
    .description('print an access token')
    .option('--client <id>', 'get a token for this principal (default: the default principal)')
    .option('--audience <address>', 'get a token for this service (default: https://storage.azure.com)')
    .option('--minutes <count>', 'make the token valid for this long (default: 60)', readCount)
    .action(({ client: clientId, audience, minutes, ...flags }: TokenFlags) => {
      const body = { clientId, audience, minutes };
      return ask({ method: 'POST', below: '/tokens', body, expects: 'token' }, flags, ({ token }) => `${token}\n`);
    });
  addFlags(command.command('principal'))
    .description('make a principal with a secret, and print both')
    .option('--name <text>', 'use this display name')
    .option('--role <name>', 'give it this role instead of the default roles; repeatable', addWord, [])
    .action(({ name, role, ...flags }: PrincipalFlags) => {
      const body = { name, ...(role.length > 0 ? { roles: role } : {}) };
      return ask({ method: 'POST', below: '/principals', body, expects: 'secret' }, flags, describePrincipal);
    });
  addFlags(command.command('rotate'))
    .description('sign tokens with a new key; an old key stays valid until its tokens expire')
    .action((flags: IdentityFlags) =>
      ask({ method: 'POST', below: '/keys', expects: 'kid' }, flags, ({ kid }) => `signs with ${kid}\n`),
    );
}

function addFlags(command: Command): Command {
  return addControlFlags(command)
    .option('--json', 'print JSON')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help);
}

const addWord = (word: string, before: readonly string[]): readonly string[] => [...before, word];

function readCount(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a whole number.');
}

const describePrincipal = ({ tenantId, clientId, secret }: Answer): string =>
  `tenant  ${tenantId}\nclient  ${clientId}\nsecret  ${secret}\n`;

interface Report {
  readonly tenantId: string;
  readonly keys: readonly { readonly kid: string; readonly holdsUntil: string | null }[];
  readonly principals: readonly {
    readonly name: string;
    readonly clientId: string;
    readonly roles: readonly { readonly role: string; readonly account?: string; readonly table?: string }[] | null;
  }[];
  readonly tokens: { readonly count: number };
}

function describeReport(answer: Answer): string {
  const { tenantId, keys, principals, tokens } = answer as unknown as Report;
  return [
    `tenant     ${tenantId}`,
    ...keys.map(({ kid, holdsUntil }) => `key        ${kid}  ${holdsUntil === null ? 'signs' : `until ${holdsUntil}`}`),
    ...principals.map(({ name, clientId, roles }) => `principal  ${clientId}  ${name}${describeRoles(roles)}`),
    `tokens     ${tokens.count} given`,
  ]
    .map((line) => `${escapeControls(line)}\n`)
    .join('');
}

function describeRoles(roles: Report['principals'][number]['roles']): string {
  if (roles === null) return '';
  const named = roles.map(({ role, account, table }) => [role, account, table].filter(Boolean).join(' '));
  return `  (${named.join(', ') || 'no role'})`;
}

// Where `tanzanite table` and `tanzanite entity` connect to, and the messages about failures there.

import { type Command, Option } from 'commander';
import { developmentAccount } from '../auth/accounts.ts';
import { openTableClient } from '../data/open-table-client.ts';
import { Unreachable } from '../data/send-request.ts';
import { NoTableService, ServiceRefusal, type TableClient } from '../data/table-client.ts';
import { parseConnectionString, type TableEndpoint } from '../data/table-endpoint.ts';
import { systemModelTime } from '../model/time.ts';
import type { Environment } from './command-context.ts';
import {
  addEmulatorFlags,
  type EmulatorFlags,
  emulatorEnvironmentHelp,
  readEmulatorAddress,
} from './emulator-flags.ts';
import { NoAnswer, UnusableOption } from './exit-codes.ts';
import { describeNoAnswer } from './no-answer.ts';
import { accountKeyFlag, readKey } from './read-accounts.ts';

export interface EndpointFlags extends EmulatorFlags {
  readonly account?: string;
  readonly accounts?: string;
  readonly connectionString?: string;
}

/** Without a flag, the first of these variables that is set counts. TANZANITE_URL takes precedence over them. */
const variables = ['AZURE_TABLES_CONNECTION_STRING', 'AZURE_STORAGE_CONNECTION_STRING'] as const;

export const endpointHelp = `
Without flags it asks the emulator at TANZANITE_URL. If that is not set, it asks
the account of a connection string in the environment. If there is none, it asks
the emulator at its usual address.
To write to an account beyond this machine, give its --connection-string.

Environment:
${emulatorEnvironmentHelp}
  AZURE_TABLES_CONNECTION_STRING   a connection string
  AZURE_STORAGE_CONNECTION_STRING  the same, if the variable above is not set
  AZURITE_ACCOUNTS         accounts and keys, as the emulator was started with`;

export function addEndpointFlags(command: Command): Command {
  return addEmulatorFlags(command.optionsGroup('Connection:'))
    .option('--account <name>', `use this account of the emulator (default: ${developmentAccount.name})`)
    .option(...accountKeyFlag)
    .addOption(
      new Option(
        '--connection-string <text>',
        'use the account of this connection string, in an emulator or in Azure',
      ).conflicts(['url', 'account', 'accounts']),
    )
    .optionsGroup('')
    .helpOption('-h, --help', 'print this help');
}

/** An endpoint that a command found, and how messages describe it. */
export interface FoundEndpoint {
  readonly client: TableClient;
  readonly endpoint: TableEndpoint;
  readonly url: string;
  /** `the key of account devstoreaccount1 from AZURITE_ACCOUNTS` */
  readonly credentialText: string;
  /** What to do if nothing answers. */
  readonly hint: string;
}

/**
 * Finds the endpoint for a command that writes. If a variable with a connection string names an account on another
 * machine, refuses this account: the variable was perhaps set for another program, and may name production. The
 * connection string must then be given on the command line. Throws UnusableOption.
 */
export function findEndpointToWrite(flags: EndpointFlags, environment: Environment): FoundEndpoint {
  const variable = chosenVariable(flags, environment);
  const endpoint = findEndpoint(flags, environment);
  if (variable === undefined || isLoopback(endpoint)) return endpoint;
  throw new UnusableOption(
    `${variable} names ${endpoint.url}, which is not on this machine. To write to it, give --connection-string "$${variable}".`,
  );
}

/** Throws UnusableOption. */
export function findEndpoint(flags: EndpointFlags, environment: Environment): FoundEndpoint {
  const { connectionString } = flags;
  if (connectionString !== undefined) return endpointIn(connectionString, '--connection-string', flags);
  const variable = chosenVariable(flags, environment);
  const text = variable && environment[variable];
  if (variable && text) return endpointIn(text, variable, flags);
  return emulatorEndpoint(flags, environment);
}

/** The variable whose connection string counts; undefined if a flag or TANZANITE_URL names the endpoint. */
function chosenVariable(flags: EndpointFlags, environment: Environment): (typeof variables)[number] | undefined {
  const { connectionString, url, account, accounts } = flags;
  const named = connectionString ?? url ?? account ?? accounts ?? (environment['TANZANITE_URL'] || undefined);
  return named === undefined ? variables.find((name) => environment[name]) : undefined;
}

/** The account of a connection string; `source` says where the string is. Throws UnusableOption. */
export function endpointIn(text: string, source: string, { insecure }: Pick<EndpointFlags, 'insecure'>): FoundEndpoint {
  const endpoint = parseOrRefuse(text, source);
  const { credential } = endpoint;
  const what = credential.kind === 'key' ? `the key of account ${credential.account}` : 'the shared access signature';
  return found(insecure ? { ...endpoint, isInsecure: true } : endpoint, {
    credentialText: `${what} in ${source}`,
    hint: `The address comes from ${source}${isLoopback(endpoint) ? '; tanzanite start starts an emulator' : ''}.`,
  });
}

/** Whether an endpoint is on this machine. */
export const isLoopback = ({ url }: Pick<TableEndpoint, 'url'>): boolean =>
  /^https?:\/\/(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?:[:/]|$)/i.test(url);

function parseOrRefuse(text: string, source: string): TableEndpoint {
  try {
    return parseConnectionString(text);
  } catch (error) {
    throw new UnusableOption(`the connection string in ${source} ${error instanceof Error ? error.message : error}.`);
  }
}

function emulatorEndpoint(flags: EndpointFlags, environment: Environment): FoundEndpoint {
  const { account = developmentAccount.name, accounts } = flags;
  const { url, isInsecure = false } = readEmulatorAddress(flags, environment);
  const key = readKey({ account, ...(accounts === undefined ? {} : { accounts }) }, environment);
  const isOwn = accounts === undefined && !environment['AZURITE_ACCOUNTS']?.trim();
  const source =
    isOwn || accounts === 'any'
      ? ''
      : ` from ${accounts === undefined ? 'AZURITE_ACCOUNTS' : `--accounts ${accounts}`}`;
  return found(
    { url: `${url}/${account}`, credential: { kind: 'key', account, key }, isInsecure },
    {
      credentialText:
        source === '' ? `the development key for account ${account}` : `the key of account ${account}${source}`,
      hint: 'Start an emulator with tanzanite start, or give its address with --url.',
    },
  );
}

function found(endpoint: TableEndpoint, words: Pick<FoundEndpoint, 'credentialText' | 'hint'>): FoundEndpoint {
  return { client: openTableClient(endpoint, systemModelTime), endpoint, url: endpoint.url, ...words };
}

/** What a request was about, for the message of its refusal. */
export interface Subject {
  readonly table?: string;
  /** `the entity with PartitionKey 'a' and RowKey 'b'` */
  readonly entity?: string;
}

/** Runs requests to the endpoint. Throws NoAnswer and UnusableOption, which name the endpoint. */
export async function askEndpoint<Answer>(
  endpoint: FoundEndpoint,
  subject: Subject,
  run: (client: TableClient) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await run(endpoint.client);
  } catch (error) {
    if (error instanceof Unreachable) {
      throw new NoAnswer(describeNoAnswer(error, { url: endpoint.url, absent: 'nothing', hint: endpoint.hint }));
    }
    if (error instanceof NoTableService) {
      throw new NoAnswer(`the server at ${endpoint.url} is not a Table service: ${error.message}. ${endpoint.hint}`);
    }
    if (error instanceof ServiceRefusal) throw await explainRefusal(error, endpoint, subject);
    throw error;
  }
}

async function explainRefusal(refusal: ServiceRefusal, endpoint: FoundEndpoint, subject: Subject): Promise<Error> {
  const { status, code, reasons } = refusal;
  const { table = '', entity } = subject;
  if (code === 'TableNotFound' || (code === 'ResourceNotFound' && entity === undefined)) {
    return new NoAnswer(`there is no table ${table} at ${endpoint.url}. ${await namesText(endpoint.client)}`);
  }
  if (code === 'ResourceNotFound') return new NoAnswer(`there is no ${entity} in table ${table} at ${endpoint.url}.`);
  if (code === 'TableAlreadyExists') return new NoAnswer(`table ${table} at ${endpoint.url} exists already.`);
  const caller =
    status === 401 || status === 403 ? [`The request was authorized with ${endpoint.credentialText}.`] : [];
  const text = [`${endpoint.url} answers ${status} ${code}: ${refusal.message}`, ...caller, ...reasons].join(' ');
  // The request is wrong, or the service does not implement it.
  return status === 400 || status === 501 ? new UnusableOption(text) : new NoAnswer(text);
}

const namesShownMax = 20;

/** The tables of the account, if the caller may list them. */
async function namesText(client: TableClient): Promise<string> {
  const names: string[] = [];
  try {
    for await (const page of client.listTables()) {
      names.push(...page);
      if (names.length > namesShownMax) break;
    }
  } catch {
    return 'tanzanite table create makes one.';
  }
  if (names.length === 0) return 'It has no tables; tanzanite table create makes one.';
  const more = names.length > namesShownMax ? ' and more' : '';
  return `It has ${names.slice(0, namesShownMax).join(', ')}${more}.`;
}

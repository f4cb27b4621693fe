import { permissionLetters, signAccountSas, signTableSas } from '../../auth/sign-shared-access.ts';
import { parseTableName } from '../../model/table-name.ts';
import { ControlError } from '../control-error.ts';
import { accountNamed, type ControlRoute, type ControlTools } from '../control-route.ts';

interface SignatureRequest {
  readonly account?: string;
  readonly table?: string;
  readonly permissions?: string;
  readonly minutes?: number;
}

export interface SignatureResponse {
  readonly account: string;
  /** Null if the signature is for the whole account. */
  readonly table: string | null;
  readonly permissions: string;
  /** The query string of requests, without the question mark. */
  readonly signature: string;
  /** ISO 8601, in whole seconds: the emulator's time, which tests may have set. */
  readonly expiresAt: string;
  /** How long the signature remains valid, in seconds from now. */
  readonly expiresInSeconds: number;
}

/**
 * The longest validity of a signature. A client that loses the control token, or access to loopback, should soon lose
 * access to the data too, so the validity is short.
 */
const minutesMax = 15;

const requestSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    account: { type: 'string', description: 'The account. The default is the first configured account.' },
    table: {
      type: 'string',
      description: 'The only table that the signature allows. The default is all tables of the account.',
    },
    permissions: {
      type: 'string',
      minLength: 1,
      maxLength: permissionLetters.account.length,
      description: `Letters of ${permissionLetters.account}, or of ${permissionLetters.table} for a table. The default is all of them.`,
    },
    minutes: {
      type: 'integer',
      minimum: 1,
      maximum: minutesMax,
      description: `How many minutes the signature is valid. The default is ${minutesMax}.`,
    },
  },
} as const;

/**
 * POST /_emulator/signature: returns a shared access signature that is valid for a few minutes. The console needs such
 * a signature to use the table service.
 */
export function signatureRoute(tools: ControlTools): ControlRoute {
  return {
    method: 'POST',
    url: '/_emulator/signature',
    schema: { body: requestSchema },
    handler: ({ body }) => sign(body as SignatureRequest, tools),
  };
}

async function sign(request: SignatureRequest, tools: ControlTools): Promise<SignatureResponse> {
  const account = accountNamed(request.account, await tools.accountNames());
  const [key] = tools.accounts.keysOf(account) ?? [];
  if (key === undefined) throw new ControlError('AccountNotFound', `"account": ${account} has no key here.`);
  const table = request.table === undefined ? undefined : readTable(request.table);
  const permissions = readPermissions(request.permissions, table === undefined ? 'account' : 'table');
  const expiresMs = wholeSeconds(tools.modelTime.nowMs()) + (request.minutes ?? minutesMax) * 60_000;
  const access = { permissions, expiresMs };
  const signer = { account, key };
  return {
    account,
    table: table ?? null,
    permissions,
    signature: table === undefined ? signAccountSas(access, signer) : signTableSas(table, access, signer),
    expiresAt: new Date(expiresMs).toISOString(),
    expiresInSeconds: Math.floor((expiresMs - tools.modelTime.nowMs()) / 1000),
  };
}

const wholeSeconds = (ms: number): number => Math.floor(ms / 1000) * 1000;

function readTable(text: string): string {
  try {
    return parseTableName(text);
  } catch {
    throw new ControlError('InvalidRequest', '"table": the name has 3 to 63 letters and digits, a letter first.');
  }
}

function readPermissions(given: string | undefined, kind: keyof typeof permissionLetters): string {
  const letters: string = permissionLetters[kind];
  if (given === undefined) return letters;
  if ([...given].every((letter) => letters.includes(letter))) return given;
  throw new ControlError(
    'InvalidRequest',
    `"permissions": the letters for ${kind === 'table' ? 'a table' : 'an account'} are ${letters}.`,
  );
}

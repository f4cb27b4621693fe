import { developmentAccount } from '../auth/accounts.ts';

/** How requests are authorized. */
export type TableCredential =
  /** The key is in base64. */
  | { readonly kind: 'key'; readonly account: string; readonly key: string }
  /** A shared access signature, as a query string without the question mark. */
  | { readonly kind: 'signature'; readonly query: string };

/** The address of an account's tables, in an emulator or in Azure, and how to authorize requests. */
export interface TableEndpoint {
  /** Without a trailing slash: `http://127.0.0.1:10002/devstoreaccount1`, `https://account.table.core.windows.net` */
  readonly url: string;
  readonly credential: TableCredential;
  /** Whether any certificate is accepted. */
  readonly isInsecure?: boolean;
}

/** The endpoint of the development account. Source: docs, Use the Azurite emulator. */
const developmentUrl = `http://127.0.0.1:10002/${developmentAccount.name}`;

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const hostName = /^[A-Za-z0-9.-]+$/;

/**
 * Reads a connection string as the Azure SDKs do. Throws an Error whose message is the end of a sentence that begins
 * with "the connection string". The message never repeats a value, because the value may be a key.
 */
export function parseConnectionString(text: string): TableEndpoint {
  const parts = readParts(text);
  if (parts.get('usedevelopmentstorage')?.toLowerCase() === 'true') {
    const { name: account, key } = developmentAccount;
    return { url: developmentUrl, credential: { kind: 'key', account, key } };
  }
  return { url: readUrl(parts), credential: readCredential(parts) };
}

/** The parts of a connection string, by their names in lower case. */
type Parts = ReadonlyMap<string, string>;

function readParts(text: string): Parts {
  const parts = new Map<string, string>();
  for (const [at, part] of text.trim().split(';').entries()) {
    if (part.trim() === '') continue;
    const sign = part.indexOf('=');
    if (sign < 1) throw new Error(`has no name and value in its part ${at + 1}`);
    parts.set(part.slice(0, sign).trim().toLowerCase(), part.slice(sign + 1).trim());
  }
  return parts;
}

function readUrl(parts: Parts): string {
  const explicit = parts.get('tableendpoint');
  if (explicit) {
    if (!/^https?:\/\//i.test(explicit) || !URL.canParse(explicit))
      throw new Error('has a TableEndpoint that is not an address');
    const { origin, pathname } = new URL(explicit);
    return origin + pathname.replace(/\/+$/, '');
  }
  const account = parts.get('accountname');
  if (!account)
    throw new Error('names neither a TableEndpoint nor an AccountName: quote it, because a shell splits it at ;');
  const protocol = parts.get('defaultendpointsprotocol') ?? 'https';
  if (protocol !== 'https' && protocol !== 'http')
    throw new Error('has a DefaultEndpointsProtocol that is not http or https');
  const host = `${account}.table.${parts.get('endpointsuffix') || 'core.windows.net'}`;
  if (!hostName.test(host)) throw new Error('has an AccountName or EndpointSuffix that does not fit an address');
  return `${protocol}://${host}`;
}

function readCredential(parts: Parts): TableCredential {
  const signature = parts.get('sharedaccesssignature');
  if (signature) return { kind: 'signature', query: signature.replace(/^\?/, '') };
  const [account, key] = [parts.get('accountname'), parts.get('accountkey')];
  if (!key)
    throw new Error('has neither an AccountKey nor a SharedAccessSignature: quote it, because a shell splits it at ;');
  if (!account) throw new Error('has an AccountKey but no AccountName');
  if (!base64.test(key)) throw new Error('has an AccountKey that is not base64');
  return { kind: 'key', account, key };
}

// The two accounts of `tanzanite copy`: where their connection strings come from.

import { readFileSync } from 'node:fs';
import { developmentAccount } from '../auth/accounts.ts';
import type { Environment } from './command-context.ts';
import { endpointIn, type FoundEndpoint } from './data-endpoint.ts';
import { UnusableOption } from './exit-codes.ts';

export interface SideFlags {
  readonly from?: string;
  readonly to?: string;
  readonly insecure?: true;
}

export interface Sides {
  readonly from: FoundEndpoint;
  readonly to: FoundEndpoint;
}

const variables = { from: 'TANZANITE_COPY_FROM', to: 'TANZANITE_COPY_TO' } as const;

/** `warn` gets a line about a key that others can read. Throws UnusableOption. */
export function findSides(flags: SideFlags, environment: Environment, warn: (line: string) => void): Sides {
  const [from, to] = (['from', 'to'] as const).map((side) => {
    const { text, source, isVisible } = readSide(side, flags, environment);
    const found = endpointIn(text, source, flags);
    if (isVisible && isSecret(found)) {
      warn(
        `${source} holds a secret, which other users of this machine can read in the list of processes: give @FILE or env:NAME.`,
      );
    }
    return found;
  }) as [FoundEndpoint, FoundEndpoint];
  if (placeOf(from) === placeOf(to)) throw new UnusableOption(`both sides are ${to.url}: give two accounts.`);
  return { from, to };
}

interface SideText {
  readonly text: string;
  /** Where it stands, in words. */
  readonly source: string;
  /** Whether it stands on the command line. */
  readonly isVisible: boolean;
}

function readSide(side: keyof typeof variables, flags: SideFlags, environment: Environment): SideText {
  const given = flags[side];
  const variable = variables[side];
  if (given === undefined) {
    const text = environment[variable];
    if (!text) throw new UnusableOption(`give --${side}, or set ${variable}: @FILE, env:NAME or a connection string.`);
    return { text, source: variable, isVisible: false };
  }
  if (given.startsWith('@')) return { ...readFirstLine(side, given.slice(1)), isVisible: false };
  if (!given.startsWith('env:')) return { text: given, source: `--${side}`, isVisible: true };
  const name = given.slice('env:'.length);
  const text = environment[name];
  if (!text) throw new UnusableOption(`--${side} ${given}: the variable is not set.`);
  return { text, source: name, isVisible: false };
}

function readFirstLine(side: string, file: string): Pick<SideText, 'text' | 'source'> {
  const source = `--${side} @${file}`;
  try {
    const [text = ''] = readFileSync(file, 'utf8')
      .replace(/^\ufeff/, '')
      .split(/\r?\n/, 1);
    return { text, source };
  } catch (error) {
    throw new UnusableOption(`${source} cannot be read: ${error instanceof Error ? error.message : error}.`);
  }
}

/** The key of the development account is in every manual. */
const isSecret = ({ endpoint: { credential } }: FoundEndpoint): boolean =>
  credential.kind === 'signature' || credential.key !== developmentAccount.key;

/** The same for other names of this machine. */
function placeOf({ url }: FoundEndpoint): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  const host = /^(?:localhost|\[::1\]|127\..*)$/.test(hostname) ? 'this machine' : hostname;
  return [protocol, host, port, pathname].join(' ').toLowerCase();
}

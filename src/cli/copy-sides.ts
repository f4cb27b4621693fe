// The two accounts of `tanzanite copy`: where their connection strings come from.

import type { Environment } from './command-context.ts';
import { type ConnectionText, readConnectionText, warnIfVisible } from './connection-text.ts';
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

/** `warn` receives a line about a key that other users can read. Throws UnusableOption. */
export function findSides(flags: SideFlags, environment: Environment, warn: (line: string) => void): Sides {
  const [from, to] = (['from', 'to'] as const).map((side) => {
    const given = readSide(side, flags, environment);
    const found = endpointIn(given.text, given.source, flags);
    warnIfVisible(given, found, warn);
    return found;
  }) as [FoundEndpoint, FoundEndpoint];
  if (placeOf(from) === placeOf(to)) throw new UnusableOption(`both sides are ${to.url}: give two accounts.`);
  return { from, to };
}

function readSide(side: keyof typeof variables, flags: SideFlags, environment: Environment): ConnectionText {
  const given = flags[side];
  const variable = variables[side];
  if (given !== undefined) return readConnectionText(`--${side}`, given, environment);
  const text = environment[variable];
  if (!text) throw new UnusableOption(`set --${side} or ${variable} to @FILE, env:NAME or a connection string.`);
  return { text, source: variable, isVisible: false };
}

/** A text by which places are compared. It is equal for all names of this machine. */
function placeOf({ url }: FoundEndpoint): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  const host = /^(?:localhost|\[::1\]|127\..*)$/.test(hostname) ? 'this machine' : hostname;
  return [protocol, host, port, pathname].join(' ').toLowerCase();
}

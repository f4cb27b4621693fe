import { StoreUnavailable } from '../storage/store-unavailable.ts';
import type { StartCommandOptions } from './command-context.ts';
import { describeOwner } from './port-in-use.ts';
import { explainUnavailable } from './store-hints.ts';

/** Why an emulator did not start and what to do about it, in one line. */
export async function explainStartFailure(
  error: unknown,
  { host, port, store }: StartCommandOptions['settings'],
): Promise<string> {
  if (error instanceof StoreUnavailable) return explainUnavailable(error, store);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    const owner = await describeOwner({ host, port });
    const user = owner === undefined ? '. Stop what uses it' : ` by ${owner}. Use that one, stop it`;
    return `port ${port} on ${host} is in use${user}, or choose another with --tablePort (0 for any free one).`;
  }
  if (code === 'EACCES') return `port ${port} on ${host} needs more rights. Choose one above 1023 with --tablePort.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `${host} is not an address of this machine. Choose another with --tableHost.`;
  }
  return error instanceof Error ? error.message : String(error);
}

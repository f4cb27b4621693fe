import type { JSX } from 'preact';
import { emulator } from '../../client/emulator.ts';
import { traceAddress } from './trace-address.ts';

/** A link to the user's trace viewer. The viewer does not learn from which page the user came. */
export function TraceLink({ traceId }: { readonly traceId: string }): JSX.Element | null {
  const address = traceAddress(emulator.value?.traceUrl, traceId);
  if (address === undefined) return null;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      Show the trace
    </a>
  );
}

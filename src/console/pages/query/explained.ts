// What the emulator says about a filter while it is typed.

import { useEffect, useState } from 'preact/hooks';
import type { PlanText } from '../../../query/report.ts';
import { ApiError, api } from '../../client/api.ts';

export interface FilterFault {
  readonly message: string;
  readonly hints: readonly string[];
  /** In UTF-16 units; undefined where the emulator does not know it. */
  readonly place: { readonly start: number; readonly end: number } | undefined;
}

export interface Explained {
  readonly plan?: PlanText;
  readonly advice?: string | null;
  readonly fault?: FilterFault;
}

/** A pause in typing. */
const pauseMs = 250;

export function useExplained(filter: string): Explained {
  const [explained, setExplained] = useState<Explained>({});
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      const answer = await explain(filter, abort.signal);
      if (!abort.signal.aborted) setExplained(answer);
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [filter]);
  return explained;
}

export async function explain(filter: string, signal: AbortSignal): Promise<Explained> {
  try {
    return await api<Explained>('explain', { method: 'POST', body: { filter }, signal });
  } catch (error) {
    const isRefused = error instanceof ApiError && (error.code === 'InvalidInput' || error.code === 'NotImplemented');
    if (!isRefused) return {};
    // The message of the service repeats the filter.
    const message = error.message.replace(/ in '.*'\.$/s, '.');
    return { fault: { message, hints: error.hints, place: error.place } };
  }
}

// What the emulator says about a filter while it is typed.

import { useEffect, useState } from 'preact/hooks';
import type { PlanText } from '../../../query/report.ts';
import { ApiError, api } from '../../client/api.ts';

export interface FilterFault {
  readonly message: string;
  readonly hints: readonly string[];
  /** In UTF-16 code units; undefined if the emulator does not know the place. */
  readonly place: { readonly start: number; readonly end: number } | undefined;
}

export interface Explained {
  readonly plan?: PlanText;
  readonly advice?: string | null;
  readonly fault?: FilterFault;
}

/** After a pause in typing of this length, the emulator is asked about the filter. */
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
    // The service's message repeats the filter. This part is left out.
    const message = error.message.replace(/ in '.*'\.$/s, '.');
    return { fault: { message, hints: error.hints, place: error.place } };
  }
}

import type { QueryReport } from '../query/report.ts';
import { askEmulator, type ControlAddress } from './ask-emulator.ts';

export interface PageWish {
  readonly table: string;
  readonly account?: string;
}

/** What reading one page came to. */
export interface PageFigures extends Pick<QueryReport, 'visited' | 'returned' | 'end'> {
  readonly sentence: string;
  /** What would make the query cheaper; absent where nothing would, and from an emulator that gives no advice. */
  readonly advice?: string;
}

interface Answer extends Omit<PageFigures, 'advice'> {
  readonly advice?: string | null;
}

/** Asks an emulator to read one page. Throws NoAnswer. */
export async function askForPage(
  wish: PageWish & { readonly filter: string },
  address: ControlAddress,
): Promise<PageFigures> {
  const body = await askEmulator({ method: 'POST', room: 'explain', body: wish, expects: 'visited' }, address);
  const { visited, returned, end, sentence, advice } = body as unknown as Answer;
  return { visited, returned, end, sentence, ...(typeof advice === 'string' ? { advice } : {}) };
}

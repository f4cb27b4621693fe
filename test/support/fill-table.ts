import { expect } from 'vitest';
import { ask, type ControlAnswer } from './control-plane.ts';

/**
 * Fills a table of the first account with entities, without a request for each entity. Each text contains entities as
 * lines of JSON.
 */
export async function fillTable(origin: string, table: string, texts: readonly string[]): Promise<void> {
  const send = async (method: string, path: string, body: object | string): Promise<ControlAnswer> => {
    const headers = typeof body === 'string' ? { 'Content-Type': 'application/x-ndjson' } : {};
    const answer = await ask(origin, { method, path: `/_emulator/seed${path}`, headers, body });
    expect(answer.status, answer.text.slice(0, 400)).toBe(200);
    return answer;
  };
  const { load } = (await send('POST', '', {})).json as { load: string };
  await send('PUT', `/${load}/tables/${table}`, {});
  for (const text of texts) await send('POST', `/${load}/tables/${table}`, text);
  await send('POST', `/${load}/finish`, '');
}

import { askEmulator, type ControlAddress } from './ask-emulator.ts';

export interface ResetOptions {
  readonly emulator: ControlAddress;
  /** What to empty; everything where it names nothing. */
  readonly wish: { readonly account?: string; readonly table?: string };
}

/** Empties what is wished for and prints what that was. Throws NoAnswer. */
export async function resetCommand({ emulator, wish }: ResetOptions): Promise<void> {
  const answer = await askEmulator({ method: 'POST', room: 'reset', body: wish, expects: 'accounts' }, emulator);
  const { accounts, table } = answer as { readonly accounts: readonly string[]; readonly table?: string };
  const place = `${accounts.length === 1 ? 'account' : 'accounts'} ${accounts.join(', ')}`;
  process.stdout.write(`emptied ${table === undefined ? place : `table ${table} of ${place}`}\n`);
}

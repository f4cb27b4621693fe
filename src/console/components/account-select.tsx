import type { JSX } from 'preact';
import { emulator } from '../client/emulator.ts';
import { SelectField } from './field.tsx';

export interface AccountSelectProps {
  readonly account: string;
  readonly onSelect: (account: string) => void;
}

/** Shows nothing if there is only one account. */
export function AccountSelect({ account, onSelect }: AccountSelectProps): JSX.Element | null {
  const accounts = emulator.value?.accounts ?? [];
  if (accounts.length < 2 && accounts.includes(account)) return null;
  const names = accounts.includes(account) ? accounts : [account, ...accounts];
  return (
    <SelectField
      label="Account"
      isLabelHidden
      value={account}
      onInput={onSelect}
      options={names.map((name) => ({ value: name, label: name }))}
    />
  );
}

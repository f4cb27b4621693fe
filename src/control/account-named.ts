import { ControlError } from './control-error.ts';

/** The account that a request names, or else the first. Throws ControlError for one that is not there. */
export function accountNamed(name: string | undefined, accounts: readonly string[]): string {
  const [first = ''] = accounts;
  if (name === undefined || accounts.includes(name)) return name ?? first;
  throw new ControlError('AccountNotFound', `"account": there is no account ${name} here.`);
}

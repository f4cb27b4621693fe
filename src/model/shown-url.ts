/**
 * Returns an address in the form that may be shown and logged: without user, password, query and fragment. Returns
 * undefined for a text that is not an address.
 */
export function shownUrl(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}

/** An address that may be shown and logged: without user, password, query and fragment. Undefined for anything that is not an address. */
export function shownUrl(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}

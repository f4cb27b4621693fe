/** An address as it may be shown and logged: without a user, a password, a query and a fragment. Undefined for what is not an address. */
export function shownUrl(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}

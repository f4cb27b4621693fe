/**
 * Returns the address of a database without its passwords, for display. Returns undefined if the text is not an
 * address.
 */
export function withoutPassword(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.password !== '') url.password = hidden;
  for (const name of secretParameters) if (url.searchParams.has(name)) url.searchParams.set(name, hidden);
  return url.href;
}

const hidden = '***';
const secretParameters = ['password', 'sslpassword'];

/** The address of a database as it may be shown: without passwords. Undefined for what is no address. */
export function withoutPassword(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.password !== '') url.password = hidden;
  for (const name of secretParameters) if (url.searchParams.has(name)) url.searchParams.set(name, hidden);
  return url.href;
}

const hidden = '***';
const secretParameters = ['password', 'sslpassword'];

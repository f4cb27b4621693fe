/**
 * Returns the address of a trace in the user's trace viewer. Returns undefined without `--trace-url`, or if the result
 * is not a web address.
 */
export function traceAddress(template: string | null | undefined, traceId: string): string | undefined {
  if (!template || !/^[0-9a-f]{32}$/.test(traceId)) return undefined;
  const address = template.replaceAll('{traceId}', traceId);
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol) ? address : undefined;
}

/** Names of the console's pages, as in their addresses. shell.test.ts visits each of them. */
export const pages = [
  'tables',
  'query',
  'traffic',
  'heatmap',
  'capacity',
  'advisor',
  'keys',
  'faults',
  'snapshots',
  'identity',
  'settings',
  'connect',
] as const;

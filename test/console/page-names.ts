/** The names of the console's pages, as they are in addresses. shell.test.ts visits each page. */
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

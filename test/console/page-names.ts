/** Names of the pages of the console, as the addresses have them. shell.test.ts visits each of them. */
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

// The pages of the console, in the order of the navigation. CONTRIBUTING.md, "Adding a page to the console", shows how
// to add a page.

import type { ComponentType } from 'preact';
import type { IconName } from '../components/icon.tsx';
import type { PageProps } from '../router.ts';

export interface Page {
  /** First segment of the address: `#/tables`. */
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  /** Where the navigation shows it. */
  readonly group: 'Data' | 'Observe' | 'Emulator';
  /** The code of a page is fetched when it is first opened. */
  readonly load: () => Promise<ComponentType<PageProps>>;
}

export const pages: readonly Page[] = [
  {
    name: 'tables',
    title: 'Tables',
    icon: 'table',
    group: 'Data',
    load: async () => (await import('../pages/tables.tsx')).TablesPage,
  },
  {
    name: 'query',
    title: 'Query',
    icon: 'search',
    group: 'Data',
    load: async () => (await import('../pages/query.tsx')).QueryPage,
  },
  {
    name: 'traffic',
    title: 'Traffic',
    icon: 'pulse',
    group: 'Observe',
    load: async () => (await import('../pages/traffic.tsx')).TrafficPage,
  },
  {
    name: 'heatmap',
    title: 'Heat map',
    icon: 'grid',
    group: 'Observe',
    load: async () => (await import('../pages/heatmap.tsx')).HeatMapPage,
  },
  {
    name: 'capacity',
    title: 'Capacity',
    icon: 'gauge',
    group: 'Observe',
    load: async () => (await import('../pages/capacity.tsx')).CapacityPage,
  },
  {
    name: 'advisor',
    title: 'Advisor',
    icon: 'bulb',
    group: 'Observe',
    load: async () => (await import('../pages/advisor.tsx')).AdvisorPage,
  },
  {
    name: 'keys',
    title: 'Keys',
    icon: 'key',
    group: 'Observe',
    load: async () => (await import('../pages/keys.tsx')).KeysPage,
  },
  {
    name: 'faults',
    title: 'Faults and clock',
    icon: 'clock',
    group: 'Emulator',
    load: async () => (await import('../pages/faults.tsx')).FaultsPage,
  },
  {
    name: 'snapshots',
    title: 'Snapshots',
    icon: 'camera',
    group: 'Emulator',
    load: async () => (await import('../pages/snapshots.tsx')).SnapshotsPage,
  },
  {
    name: 'identity',
    title: 'Identity',
    icon: 'key',
    group: 'Emulator',
    load: async () => (await import('../pages/identity.tsx')).IdentityPage,
  },
  {
    name: 'settings',
    title: 'Settings',
    icon: 'sliders',
    group: 'Emulator',
    load: async () => (await import('../pages/settings.tsx')).SettingsPage,
  },
  {
    name: 'connect',
    title: 'Connect',
    icon: 'plug',
    group: 'Emulator',
    load: async () => (await import('../pages/connect.tsx')).ConnectPage,
  },
];

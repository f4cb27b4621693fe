// What the shell and most pages need to know of the emulator.

import { signal } from '@preact/signals';
import type { SettingsReport } from '../../control/observe/settings.ts';
import { type ApiError, api } from './api.ts';

/** Undefined until it is known. */
export const emulator = signal<SettingsReport | undefined>(undefined);
/** Why the settings are not known. */
export const emulatorFault = signal<ApiError | undefined>(undefined);

/** Reads the settings, at the start and when accounts may have changed. */
export async function loadEmulator(): Promise<void> {
  try {
    emulator.value = await api<SettingsReport>('settings');
    emulatorFault.value = undefined;
  } catch (error) {
    emulatorFault.value = error as ApiError;
  }
}

/** The account that an address names, or the first one. */
export const accountOr = (name: string | undefined): string => name ?? emulator.value?.accounts[0] ?? '';

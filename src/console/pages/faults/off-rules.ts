// Rules that were switched off. The emulator no longer has them; the tab keeps them.

import { signal } from '@preact/signals';
import type { FaultRule } from '../../../faults/fault-rule.ts';

const storageName = 'tanzanite.faults.off';

function read(): readonly FaultRule[] {
  try {
    return JSON.parse(window.sessionStorage.getItem(storageName) ?? '[]') as readonly FaultRule[];
  } catch {
    return [];
  }
}

export const offRules = signal(read());

export function keepOff(rules: readonly FaultRule[]): void {
  offRules.value = rules;
  try {
    window.sessionStorage.setItem(storageName, JSON.stringify(rules));
  } catch {
    // The tab's storage is full: the rules are lost when the user leaves the page.
  }
}

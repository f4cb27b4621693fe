// With TANZANITE_TEST_ENGINE=delayed every emulator of a test file keeps its data in the reference store behind random delays:
// nothing may rest on how soon the SQLite engine answers. Data does not outlive such an emulator, wherever its location is.

import { defaultSettings } from '../../src/emulator.ts';
import { openDelayedReference } from './delayed-store.ts';

Object.assign(defaultSettings, { openStore: openDelayedReference });

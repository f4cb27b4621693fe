// With TANZANITE_TEST_ENGINE=delayed every emulator of a test stores its data in the reference store with random delays:
// no test may depend on the timing of the SQLite engine. Such an emulator keeps no data after its end, with any location.

import { defaultEmulatorSettings } from '../../src/emulator.ts';
import { openDelayedReference } from './delayed-store.ts';

Object.assign(defaultEmulatorSettings, { openStore: openDelayedReference });

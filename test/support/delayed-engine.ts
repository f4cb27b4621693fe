// With TANZANITE_TEST_ENGINE=delayed, every emulator of a test stores its data in the reference store with random
// delays. This finds tests that depend on the timing of the SQLite engine. The data is lost when the emulator ends,
// even if it has a location.

import { defaultEmulatorSettings } from '../../src/emulator.ts';
import { openDelayedReference } from './delayed-store.ts';

Object.assign(defaultEmulatorSettings, { openStore: openDelayedReference });

// With TANZANITE_TEST_ENGINE=delayed, every emulator of a test stores its data in the reference store, with random
// delays. The delays reveal tests that depend on the timing of the SQLite engine. The data is lost when an emulator
// ends, even if the emulator has a location.

import { defaultEmulatorSettings } from '../../src/emulator.ts';
import { openDelayedReference } from './delayed-store.ts';

Object.assign(defaultEmulatorSettings, { openStore: openDelayedReference });

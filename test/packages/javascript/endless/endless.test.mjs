import { test } from 'vitest';
import { useEmulator } from '../../../../dist/vitest.js';
import { defineTests } from './endless.mjs';

defineTests(test, useEmulator);

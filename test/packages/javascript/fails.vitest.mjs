import { test } from 'vitest';
import { useEmulator } from '../../../dist/vitest.js';
import { defineTests, options } from './fails.mjs';

defineTests(test, useEmulator(options));

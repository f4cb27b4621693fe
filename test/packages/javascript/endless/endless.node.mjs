import { test } from 'node:test';
import { useEmulator } from '../../../../dist/node-test.js';
import { defineTests } from './endless.mjs';

defineTests(test, useEmulator);

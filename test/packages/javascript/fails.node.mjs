import { test } from 'node:test';
import { useEmulator } from '../../../dist/node-test.js';
import { defineTests, options } from './fails.mjs';

defineTests(test, useEmulator(options));

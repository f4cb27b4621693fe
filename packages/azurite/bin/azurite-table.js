#!/usr/bin/env node
import { runAs } from './run-as.js';

await runAs('start');

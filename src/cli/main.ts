#!/usr/bin/env node
import { createProgram } from './program.ts';
import { startCommand } from './start-command.ts';

await createProgram({ start: startCommand, environment: process.env }).parseAsync(process.argv);

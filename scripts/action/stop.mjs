// The last part of the step, after all others of the job: the report, and the end of the emulator.
import { finish } from './report.mjs';
import { readInputs, readState, runPart } from './workflow.mjs';

const path = readState('started');
// A start that failed, and a step that stops, leave nothing to end.
if (path) await runPart(() => finish(path, readInputs()));

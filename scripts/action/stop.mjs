// Writes the report and stops the emulator. This is the post part of the action, which runs after all steps of the job.
import { finish } from './report.mjs';
import { readInputs, readState, runPart } from './workflow.mjs';

const path = readState('started');
// There is no path if the start failed, or if the step only stopped an earlier emulator.
if (path) await runPart(() => finish(path, readInputs()));

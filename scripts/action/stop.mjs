// The last part of the step, which runs after all other steps of the job: writes the report and stops the emulator.
import { finish } from './report.mjs';
import { readInputs, readState, runPart } from './workflow.mjs';

const path = readState('started');
// There is no path if the start failed, or if the step only stopped an earlier emulator.
if (path) await runPart(() => finish(path, readInputs()));

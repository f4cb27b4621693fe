// Ends the process when a case takes too long. The test itself cannot do this, because the running case occupies the
// only thread.

import { Worker } from 'node:worker_threads';

const caseSecondsMax = 60;

const code = `
const { workerData } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const started = new Int32Array(workerData.shared);
let seen = -1;
setInterval(() => {
  const now = Atomics.load(started, 0);
  if (now === seen && now !== 0) {
    writeSync(2, 'fuzz: case ' + now + ' of this run goes on for more than ${caseSecondsMax} seconds\\n');
    process.kill(process.pid, 'SIGKILL');
  }
  seen = now;
}, ${caseSecondsMax}_000);
`;

export interface Watch {
  /** Call this when a case begins. */
  begin(): void;
  end(): Promise<void>;
}

export function watchCases(): Watch {
  const shared = new SharedArrayBuffer(4);
  const started = new Int32Array(shared);
  const worker = new Worker(code, { eval: true, workerData: { shared } });
  worker.unref();
  return {
    begin: () => void Atomics.add(started, 0, 1),
    end: async () => void (await worker.terminate()),
  };
}

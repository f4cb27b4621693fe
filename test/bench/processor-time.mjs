// Reads the processor time that another process has used so far in all its threads, as { userMs, systemMs }. The result
// is undefined if the system does not report this time. On Linux, /proc reports hundredths of a second. On other
// systems, ps reports the time.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const msPerTick = 10;
const settleWindowMs = 30;
const settleMsMax = 5_000;

export function readProcessorTime(pid) {
  return readProc(pid) ?? readPs(pid);
}

// Waits until the process has no work left, for example for requests of clients that have disconnected.
export async function settle(pid) {
  const totalOf = (time) => time && time.userMs + time.systemMs;
  let before = totalOf(readProcessorTime(pid));
  for (let waitedMs = 0; waitedMs < settleMsMax; waitedMs += settleWindowMs) {
    await sleep(settleWindowMs);
    const now = totalOf(readProcessorTime(pid));
    if (now === undefined || now - before < msPerTick) return;
    before = now;
  }
}

// Linux only: the number of bytes of memory that are resident now.
export function readResidentBytes(pid) {
  try {
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1_024;
  } catch {
    return undefined;
  }
}

function readProc(pid) {
  try {
    // The name of the process is in brackets and may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
    return { userMs: Number(fields[11]) * msPerTick, systemMs: Number(fields[12]) * msPerTick };
  } catch {
    return undefined;
  }
}

function readPs(pid) {
  const { stdout, status } = spawnSync('ps', ['-o', 'utime=,time=', '-p', String(pid)], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  const [user, all] = stdout.trim().split(/\s+/).map(readClock);
  return Number.isFinite(user) && Number.isFinite(all) ? { userMs: user, systemMs: all - user } : undefined;
}

// Parses [[hours:]minutes:]seconds, with a fraction.
function readClock(text) {
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) * 1_000;
}

import { RecordingFault } from '../parity/read-recording.ts';
import { UnusableOption } from './exit-codes.ts';

/** Runs a function that reads a recording. Throws UnusableOption for a fault of the file. */
export async function readRecordingOrRefuse<Value>(file: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RecordingFault) throw new UnusableOption(`${file} ${error.message}.`);
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === 'open' || syscall === 'stat' || syscall === 'read')
      throw new UnusableOption(`${file} cannot be read: ${message}.`);
    throw error;
  }
}

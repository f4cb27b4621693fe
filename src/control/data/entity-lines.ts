// Reads the entities in the body of a request. Each line is an entity, as in a file. Blank lines are skipped, but they
// count in line numbers.

import { EntityFault, type FileEntity, readFileEntity } from '../../data/file-entity.ts';
import { LineFault } from '../../data/file-fault.ts';
import { type FileRecord, lineCutter } from '../../data/file-records.ts';
import { giveWay, type Schedule, systemSchedule } from '../../model/schedule.ts';
import { dateTimeTicksMin, ticksFromMs } from '../../model/ticks.ts';
import { ControlError } from '../control-error.ts';

export const entitiesMediaType = 'application/x-ndjson';

/** Bytes that are read in one turn of the event loop. That takes a few milliseconds, even for blank lines. */
const turnBytes = 16_384;

export interface EntityLines {
  readonly entities: readonly FileEntity[];
  /** The line number of each entity, 1-based. */
  readonly lines: readonly number[];
}

/**
 * Reads the lines of a body, and lets other requests run in between. Keeps the Timestamp of an entity if it is between
 * the year 1601 and `nowMs`, and leaves out any other Timestamp. If `nowMs` is undefined, leaves out every Timestamp.
 * Throws ControlError.
 */
export async function readEntityLines(
  body: unknown,
  nowMs: number | undefined,
  schedule: Pick<Schedule, 'nextTurn'> = systemSchedule,
): Promise<EntityLines> {
  if (!Buffer.isBuffer(body)) {
    throw new ControlError('UnsupportedMediaType', `Send the entities as ${entitiesMediaType}, a line each.`);
  }
  const [entities, lines]: [FileEntity[], number[]] = [[], []];
  const cutter = lineCutter({ hasQuotes: false });
  const take = ({ text, line }: FileRecord): void => {
    entities.push(readLine(text, line, nowMs));
    lines.push(line);
  };
  try {
    for (let start = 0; start < body.length; start += turnBytes) {
      if (start > 0) await giveWay(schedule);
      for (const record of cutter.push(body.subarray(start, start + turnBytes))) take(record);
    }
    for (const record of cutter.end()) take(record);
  } catch (error) {
    if (!(error instanceof LineFault)) throw error;
    throw new ControlError('InvalidRequest', `Line ${error.line}: ${error.message}.`, { line: error.line });
  }
  return { entities, lines };
}

function readLine(text: string, line: number, nowMs: number | undefined): FileEntity {
  try {
    const entity = readFileEntity(text);
    const { partitionKey, rowKey, properties, ticks } = entity;
    // The service has never assigned an earlier Timestamp.
    const isTaken = ticks !== undefined && ticks >= dateTimeTicksMin;
    const isKept = isTaken && nowMs !== undefined && ticks <= ticksFromMs(nowMs);
    return isKept ? entity : { partitionKey, rowKey, properties };
  } catch (error) {
    throw error instanceof EntityFault ? new LineFault(line, error.message) : error;
  }
}

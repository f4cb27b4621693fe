import type { ClockChange } from '../../model/clock-setting.ts';
import { msFromTicks, parseDateTime } from '../../model/ticks.ts';
import { ControlError } from '../control-error.ts';
import type { ControlRoute, ControlTools } from '../control-route.ts';

interface ClockRequest {
  readonly now?: string;
  readonly advanceMs?: number;
  readonly freeze?: boolean;
}

const requestSchema = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    now: {
      type: 'string',
      description: 'The time to set, ISO 8601, in the years 1601 to 9999. A time without a zone is in UTC.',
    },
    advanceMs: {
      type: 'number',
      minimum: 0,
      description: 'The number of milliseconds by which to move the time forward.',
    },
    freeze: {
      type: 'boolean',
      description: 'Whether the time is frozen. `false` lets it run on from where it stopped.',
    },
  },
} as const;

const url = '/_emulator/clock';

/** GET, POST and DELETE /_emulator/clock: the time of the service, which tests and people can set. */
export function clockRoutes(tools: ControlTools): readonly ControlRoute[] {
  return [
    { method: 'GET', url, handler: async () => tools.serviceClock.state() },
    { method: 'POST', url, schema: { body: requestSchema }, handler: ({ body }) => turn(body as ClockRequest, tools) },
    { method: 'DELETE', url, handler: () => tools.serviceClock.change({ kind: 'release' }) },
  ];
}

async function turn(request: ClockRequest, { serviceClock }: ControlTools): Promise<object> {
  try {
    return await serviceClock.change(changeOf(request));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const [member = ''] = Object.keys(request);
    throw new ControlError('InvalidRequest', `"${member}": ${error.message}.`);
  }
}

/** The schema allows exactly one member. Throws RangeError. */
function changeOf({ now, advanceMs, freeze }: ClockRequest): ClockChange {
  if (advanceMs !== undefined) return { kind: 'advance', ms: advanceMs };
  if (now === undefined) return { kind: freeze ? 'freeze' : 'resume' };
  const ticks = parseDateTime(now);
  if (ticks === undefined) throw new RangeError('the time must be a date such as 2030-01-31T12:00:00Z');
  return { kind: 'set', nowMs: msFromTicks(ticks) };
}

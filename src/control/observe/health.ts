import type { FastifyRequest } from 'fastify';
import manifest from '../../../package.json' with { type: 'json' };
import type { ControlRoute, ControlTools } from '../control-route.ts';
import { isThisMachine } from '../guard.ts';
import { probeStore } from './probe-store.ts';

interface Health {
  readonly status: 'healthy';
  readonly version: string;
  readonly uptimeSeconds: number;
  /** Only in answers to this machine: the process id, and the folder of the data (null if the data is in memory). */
  readonly pid?: number;
  readonly location?: string | null;
}

/** GET /_emulator/health: the process serves and the data can be read. */
export function healthRoute(tools: ControlTools): ControlRoute {
  return {
    method: 'GET',
    url: '/_emulator/health',
    exposeHeadRoute: true,
    isPublic: true,
    isProbe: true,
    handler: (request) => describeHealth(request, tools),
  };
}

async function describeHealth(request: FastifyRequest, tools: ControlTools): Promise<Health> {
  await probeStore(tools);
  const uptimeSeconds = Math.floor(secondsSinceStart(tools));
  const health = { status: 'healthy', version: manifest.version, uptimeSeconds } as const;
  if (!isThisMachine(request)) return health;
  return { ...health, pid: process.pid, location: tools.location ?? null };
}

export const secondsSinceStart = ({ machineTime, startedMs }: ControlTools): number =>
  (machineTime.monotonicMs() - startedMs) / 1000;

import manifest from '../../package.json' with { type: 'json' };
import type { ControlRoute, ControlTools } from './control-route.ts';
import { probeStore } from './probe-store.ts';

interface Health {
  readonly status: 'healthy';
  readonly version: string;
  readonly uptimeSeconds: number;
}

/** GET /_emulator/health: the process serves and the data can be read. */
export function healthRoute(tools: ControlTools): ControlRoute {
  return {
    method: 'GET',
    url: '/_emulator/health',
    exposeHeadRoute: true,
    isPublic: true,
    isProbe: true,
    handler: () => describeHealth(tools),
  };
}

async function describeHealth(tools: ControlTools): Promise<Health> {
  await probeStore(tools);
  return { status: 'healthy', version: manifest.version, uptimeSeconds: Math.floor(tools.uptimeMs() / 1000) };
}

import { ControlError, fullDisk } from '../control-error.ts';
import type { ControlRoute, ControlTools } from '../control-route.ts';
import { probeStore } from './probe-store.ts';

interface Readiness {
  readonly status: 'ready';
}

/** GET /_emulator/ready: requests may be sent here. */
export function readyRoute(tools: ControlTools): ControlRoute {
  return {
    method: 'GET',
    url: '/_emulator/ready',
    exposeHeadRoute: true,
    isPublic: true,
    isProbe: true,
    handler: () => describeReadiness(tools),
  };
}

async function describeReadiness(tools: ControlTools): Promise<Readiness> {
  if (tools.isClosing()) throw new ControlError('Closing', 'The emulator is closing: send nothing more.');
  const { damaged, isFull } = await probeStore(tools);
  if (damaged.length > 0) {
    const message = `Data of ${damaged.join(', ')} cannot be read; the log of the emulator says why.`;
    throw new ControlError('StoreFailed', message);
  }
  if (isFull) throw new ControlError('StoreFailed', fullDisk);
  return { status: 'ready' };
}

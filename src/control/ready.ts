import { ControlError } from './control-error.ts';
import type { ControlRoute, ControlTools } from './control-route.ts';
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

async function describeReadiness({ store, accounts, isClosing }: ControlTools): Promise<Readiness> {
  if (isClosing()) throw new ControlError('Closing', 'The emulator is closing: send nothing more.');
  await probeStore(store, accounts);
  return { status: 'ready' };
}

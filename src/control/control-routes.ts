import type { ControlRoute } from './control-route.ts';
import type { ControlTools } from './control-tools.ts';
import { explainRoute } from './explain.ts';

/** Everything the control plane can be asked. */
export function controlRoutes(tools: ControlTools): readonly ControlRoute[] {
  return [explainRoute(tools)];
}

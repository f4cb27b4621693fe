import { advisorRoutes } from './advisor.ts';
import { capacityRoute } from './capacity.ts';
import { consoleRoutes } from './console.ts';
import type { ControlRoute, ControlTools } from './control-route.ts';
import { docsRoutes } from './docs.ts';
import { eventsRoute } from './events.ts';
import { explainRoute } from './explain.ts';
import { exportRoutes } from './export.ts';
import { healthRoute } from './health.ts';
import { heatmapRoute } from './heatmap.ts';
import { metricsRoute } from './metrics.ts';
import { policiesRoutes } from './policies.ts';
import { readyRoute } from './ready.ts';
import { resetRoute } from './reset.ts';
import { seedRoutes } from './seed.ts';
import { settingsRoute } from './settings.ts';
import { signatureRoute } from './signature.ts';
import { snapshotRoutes } from './snapshots.ts';

/** All routes of the control plane. */
export function controlRoutes(tools: ControlTools): readonly ControlRoute[] {
  return [
    healthRoute(tools),
    readyRoute(tools),
    metricsRoute(tools),
    capacityRoute(tools),
    heatmapRoute(tools),
    resetRoute(tools),
    ...snapshotRoutes(tools),
    explainRoute(tools),
    ...seedRoutes(tools),
    ...exportRoutes(tools),
    ...policiesRoutes(tools),
    ...advisorRoutes(tools),
    settingsRoute(tools),
    signatureRoute(tools),
    eventsRoute(tools),
    ...docsRoutes(),
    ...consoleRoutes(),
  ];
}

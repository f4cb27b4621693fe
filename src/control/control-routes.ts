import type { ControlRoute, ControlTools } from './control-route.ts';
import { exportRoutes } from './data/export.ts';
import { policiesRoutes } from './data/policies.ts';
import { resetRoute } from './data/reset.ts';
import { seedRoutes } from './data/seed.ts';
import { snapshotRoutes } from './data/snapshots.ts';
import { tableSizesRoute } from './data/table-sizes.ts';
import { faultRoutes } from './faults/faults.ts';
import { certificateAuthorityRoute } from './identity/certificate-authority.ts';
import { identityRoutes } from './identity/identity-routes.ts';
import { issuerRoutes } from './identity/issuer-routes.ts';
import { signatureRoute } from './identity/signature.ts';
import { mcpRoute } from './mcp/mcp-route.ts';
import { advisorRoutes } from './observe/advisor.ts';
import { capabilitiesRoute } from './observe/capabilities.ts';
import { capacityRoute } from './observe/capacity.ts';
import { eventsRoute } from './observe/events.ts';
import { explainRoute } from './observe/explain.ts';
import { healthRoute } from './observe/health.ts';
import { heatmapRoute } from './observe/heatmap.ts';
import { metricsRoute } from './observe/metrics.ts';
import { readyRoute } from './observe/ready.ts';
import { refusalsRoute } from './observe/refusals.ts';
import { settingsRoute } from './observe/settings.ts';
import { simulateKeysRoute } from './observe/simulate-keys.ts';
import { consoleRoutes } from './pages/console.ts';
import { docsRoutes } from './pages/docs.ts';
import { clockRoutes } from './time/clock.ts';

/** All routes of the control plane. */
export function controlRoutes(tools: ControlTools): readonly ControlRoute[] {
  return [
    healthRoute(tools),
    readyRoute(tools),
    metricsRoute(tools),
    capacityRoute(tools),
    heatmapRoute(tools),
    resetRoute(tools),
    ...clockRoutes(tools),
    ...snapshotRoutes(tools),
    ...faultRoutes(tools),
    explainRoute(tools),
    simulateKeysRoute(tools),
    ...seedRoutes(tools),
    ...exportRoutes(tools),
    ...policiesRoutes(tools),
    tableSizesRoute(tools),
    ...advisorRoutes(tools),
    settingsRoute(tools),
    signatureRoute(tools),
    certificateAuthorityRoute(tools),
    ...identityRoutes(tools),
    ...issuerRoutes(tools),
    eventsRoute(tools),
    refusalsRoute(tools),
    capabilitiesRoute(),
    mcpRoute(tools),
    ...docsRoutes(),
    ...consoleRoutes(),
  ];
}

import type { ControlRoute, ControlTools } from '../control-route.ts';

/** GET /_emulator/metrics: counters since the start, for Prometheus. */
export function metricsRoute(tools: ControlTools): ControlRoute {
  let renderer: Promise<() => Promise<string>> | undefined;
  return {
    method: 'GET',
    url: '/_emulator/metrics',
    exposeHeadRoute: true,
    async handler(_request, reply) {
      // Loaded by the first request, so that it does not delay the start.
      renderer ??= import('./prometheus.ts').then(({ createRenderer }) => createRenderer(tools));
      const render = await renderer;
      const text = await render();
      return reply.type('text/plain; version=0.0.4; charset=utf-8').send(text);
    },
  };
}

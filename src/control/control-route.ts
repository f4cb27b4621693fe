import type { RouteOptions } from 'fastify';

/** A route with one method, so that a list of them can be read. */
export interface ControlRoute extends RouteOptions {
  readonly method: string;
}

import type { RouteOptions } from 'fastify';

/** A route with one method, so that a list of them can be read. */
export interface ControlRoute extends RouteOptions {
  readonly method: string;
  /** Asked every few seconds by whoever watches over the emulator: needs no token, and fills no log while all is well. */
  readonly isProbe?: boolean;
}

import type { RouteOptions } from 'fastify';

/** A route with one method, so that a list of them can be read. */
export interface ControlRoute extends RouteOptions {
  readonly method: string;
  /** Tells nothing of the data and changes nothing: needs no token, with which a browser could not come. */
  readonly isPublic?: boolean;
  /** Asked every few seconds by whoever watches over the emulator: fills no log while all is well. */
  readonly isProbe?: boolean;
}

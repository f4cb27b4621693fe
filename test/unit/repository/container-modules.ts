import { readFileSync } from 'node:fs';

/** How a module of Testcontainers, Aspire or a compose file starts Azurite's image and what it waits for. */
export interface ContainerModule {
  readonly name: string;
  readonly source: string;
  /** The entrypoint, if the module replaces the image's own. */
  readonly entrypoint?: 'azurite' | 'azurite-blob';
  readonly command: string;
  /** It is ready once these expressions match on standard output. */
  readonly lines?: readonly string[];
  /** It is ready once these ports accept connections. */
  readonly ports?: readonly ('blob' | 'queue' | 'table')[];
  /** Commands that it, or its library's wait for a port, runs in the container with `/bin/sh -c` for each port, as docker/check.sh does. */
  readonly inside?: readonly string[];
  /** It is ready once the blob service answers over HTTP. */
  readonly asksBlobs?: true;
  /** Whether the image without Azurite satisfies it too. */
  readonly tablesOnly?: true;
}

export const containerModules: readonly ContainerModule[] = JSON.parse(
  readFileSync(new URL('../../../docker/container-modules.json', import.meta.url), 'utf8'),
);

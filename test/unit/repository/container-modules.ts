import { readFileSync } from 'node:fs';

/** How a module of Testcontainers or Aspire, or a compose file, starts Azurite's image, and what it waits for. */
export interface ContainerModule {
  readonly name: string;
  readonly source: string;
  /** The entrypoint, if the module replaces the entrypoint of the image. */
  readonly entrypoint?: 'azurite' | 'azurite-blob';
  readonly command: string;
  /** The module waits until standard output matches these expressions. */
  readonly lines?: readonly string[];
  /** The module waits until these ports accept connections. */
  readonly ports?: readonly ('blob' | 'queue' | 'table')[];
  /**
   * Commands that the module or its library runs in the container, with `/bin/sh -c`, for each port. docker/check.sh
   * runs these commands too.
   */
  readonly inside?: readonly string[];
  /** The module waits until the blob service answers over HTTP. */
  readonly asksBlobs?: true;
  /** Whether the module also works with the image without Azurite. */
  readonly tablesOnly?: true;
}

export const containerModules: readonly ContainerModule[] = JSON.parse(
  readFileSync(new URL('../../../docker/container-modules.json', import.meta.url), 'utf8'),
);

import type { PostgresServer, PostgresSettings } from './postgres-server.mjs';

export function hasCitus(): boolean;

export class CitusCluster {
  static create(options?: {
    readonly workers?: number;
    readonly isDurable?: boolean;
    readonly settings?: PostgresSettings;
  }): Promise<CitusCluster>;
  readonly coordinator: PostgresServer;
  readonly workers: readonly PostgresServer[];
  url(database?: string): string;
  remove(): Promise<void>;
}

export function createCitusDatabase(coordinator: string, name: string): Promise<string>;
export function dropCitusDatabase(coordinator: string, name: string): Promise<void>;

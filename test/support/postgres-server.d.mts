export function findPostgres(): string | undefined;

export type PostgresSettings = Readonly<Record<string, string | number>>;

export class PostgresServer {
  static create(options?: {
    readonly isDurable?: boolean;
    readonly settings?: PostgresSettings;
    readonly trusts?: boolean;
    readonly environment?: Readonly<Record<string, string>>;
  }): Promise<PostgresServer>;
  createStandby(name: string, settings?: PostgresSettings): Promise<PostgresServer>;
  readonly port: number;
  readonly log: string;
  readonly processIds: readonly number[];
  url(database?: string): string;
  start(settings?: PostgresSettings): Promise<void>;
  kill(): Promise<void>;
  freeze(): void;
  resume(): void;
  promote(): Promise<void>;
  stop(): Promise<void>;
  remove(): Promise<void>;
  removeNow(): void;
}

import type pg from 'pg';
import type { Cancel, MachineTime } from '../../model/time.ts';
import { createClient } from './database.ts';
import type { DatabaseConfig } from './database-config.ts';

export interface ListenerOptions {
  readonly connection: DatabaseConfig;
  /** Identifies this store in notifications. */
  readonly node: string;
  readonly machineTime: Pick<MachineTime, 'after'>;
  /** Called when another node announces a change, with what it announces. Undefined if anything may have changed. */
  readonly onChange: (what: string | undefined) => void;
}

const retryDelayMs = 500;
/** The time between two test queries. Such a query reveals that the connection has silently broken. */
const questionDelayMs = 5_000;
const answerMsMax = 2_500;

/** The channel for the notifications of a schema. */
export const channelOf = ({ schemaName }: DatabaseConfig): string => `tanzanite_${schemaName}`.slice(0, 63);

/** Listens for changes by other nodes. If its connection breaks, it tries to connect until it succeeds. */
export class Listener {
  /** Whether notifications of changes by other nodes arrive. If not, nothing may be cached. */
  isListening = false;
  readonly #options: ListenerOptions;
  #client: pg.Client | undefined;
  #cancel: Cancel | undefined;
  #isClosed = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { connection, onChange } = this.#options;
    const client = createClient(connection);
    this.#client = client;
    client.on('notification', ({ payload = '' }) => {
      const [node, what] = payload.split(' ');
      // This node already knows its own changes.
      if (node !== this.#options.node) onChange(what);
    });
    client.once('end', () => this.#lose(client));
    try {
      await client.connect();
      await client.query(`LISTEN ${channelOf(connection)}`);
      if (this.#client !== client) return;
      this.isListening = true;
      // Anything may have changed while there was no connection.
      onChange(undefined);
      this.#ask(client);
    } catch {
      this.#lose(client);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.isListening = false;
    this.#cancel?.();
    await this.#client?.end().catch(() => undefined);
  }

  #ask(client: pg.Client): void {
    this.#cancel = this.#options.machineTime.after(questionDelayMs, () => {
      const question = { text: 'SELECT 1', query_timeout: answerMsMax } as pg.QueryConfig;
      client.query(question).then(
        () => this.#client === client && !this.#isClosed && this.#ask(client),
        () => this.#lose(client),
      );
    });
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client || this.#isClosed) return;
    this.#client = undefined;
    this.isListening = false;
    this.#options.onChange(undefined);
    client.end().catch(() => undefined);
    this.#cancel?.();
    this.#cancel = this.#options.machineTime.after(retryDelayMs, () => void this.start());
  }
}

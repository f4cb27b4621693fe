// Requests that fill a small disk, and requests that free its space.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { changesetBody, sendBatch } from './batch-requests.ts';
import { ask, messageOf } from './control-plane.ts';
import type { ServerProcess } from './server-process.mjs';
import type { SmallDisk } from './small-disk.ts';
import { openClient, type TableClient } from './table-client.ts';

export const patience = { timeout: 20_000, interval: 50 };
/** Properties of about 270 KB. */
export const large = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`text${at}`, 'x'.repeat(30_000)]));

/** Sends requests to an emulator whose data is on a small disk. Each returns the status of its response. */
export class DiskRequests {
  readonly #client: TableClient;
  readonly #origin: string;
  readonly #account: string;
  readonly #server: ServerProcess | undefined;
  /** The size of the reserve under load, while nothing is lent. */
  #held = 0;

  /** `server`: the process of the emulator, if it is not this one. */
  constructor(origin: string, server?: ServerProcess, account = 'devstoreaccount1') {
    this.#origin = origin;
    this.#account = account;
    this.#server = server;
    this.#client = openClient(origin, { account, prefix: `/${account}` });
    onTestFinished(() => this.#client.close());
  }

  async #send(method: string, path: string, members?: object): Promise<number> {
    const body = members && JSON.stringify(members);
    return (await this.#client.send({ method, path, body })).status;
  }

  createTable = (name: string): Promise<number> => this.#send('POST', '/Tables', { TableName: name });
  deleteTable = (name: string): Promise<number> => this.#send('DELETE', `/Tables('${name}')`);
  insert = (table: string, row: number, members = {}): Promise<number> =>
    this.#send('POST', `/${table}`, { PartitionKey: 'p', RowKey: String(row), ...members });
  /** Inserts rows in one batch of about 3.8 MB. */
  insertMany = async (table: string, row: number): Promise<number> => {
    const calls = Array.from({ length: 14 }, (_, at) => ({
      method: 'POST',
      url: `/${this.#account}/${table}`,
      body: JSON.stringify({ PartitionKey: 'p', RowKey: `${row}-${at}`, ...large }),
    }));
    return (await sendBatch(this.#client, changesetBody(calls))).status;
  };
  get = (table: string, row: number): Promise<number> =>
    this.#send('GET', `/${table}(PartitionKey='p',RowKey='${row}')`);
  remove = async (table: string, row: number): Promise<number> => {
    const path = `/${table}(PartitionKey='p',RowKey='${row}')`;
    return (await this.#client.send({ method: 'DELETE', path, headers: { 'If-Match': '*' } })).status;
  };
  ready = async (): Promise<number> => (await ask(this.#origin, { method: 'GET', path: '/_emulator/ready' })).status;
  health = async (): Promise<number> => (await ask(this.#origin, { method: 'GET', path: '/_emulator/health' })).status;
  whyNotReady = async (): Promise<string> =>
    messageOf(await ask(this.#origin, { method: 'GET', path: '/_emulator/ready' }));
  save = async (name: string): Promise<number> =>
    (await ask(this.#origin, { method: 'PUT', path: `/_emulator/snapshots/${name}?table=small` })).status;
  whyNotSaved = async (): Promise<string> =>
    messageOf(await ask(this.#origin, { method: 'PUT', path: '/_emulator/snapshots/any?table=small' }));
  restore = async (name: string): Promise<number> =>
    (await ask(this.#origin, { path: `/_emulator/snapshots/${name}/restore` })).status;

  /**
   * Makes two tables: a small one with a snapshot of its only entity, and a large one that fills the disk. Returns the
   * number of entities in the large table.
   */
  async fillDisk(disk: SmallDisk): Promise<number> {
    await this.createTable('small');
    await this.insert('small', 0);
    expect(await this.save('one')).toBe(200);
    await this.createTable('big');
    let row = 0;
    while ((await this.insert('big', row, large)) === 201) {
      row += 1;
      // By now the reserve has been enlarged. The disk is far from full, so nothing is lent.
      if (row === 20) this.#held = reserveBytes(disk);
    }
    await this.fill(disk);
    return row;
  }

  /**
   * Writes until a large and a small write are refused one after the other, and nothing is left that frees space. The
   * first write that fails empties the write-ahead log, so there may be room for a few more writes.
   */
  async exhaust(disk: SmallDisk): Promise<void> {
    let row = 10_000;
    const refuse = async (): Promise<void> => {
      await this.fill(disk);
      const found = [await this.insert('big', row, large), await this.insert('small', row++), await this.ready()];
      const isSettled = isLogEmpty(disk);
      await this.fill(disk);
      expect({ found, isSettled }).toEqual({ found: [500, 500, 503], isSettled: true });
    };
    await vi.waitFor(refuse, patience);
  }

  /** Fills the disk, but not with the reserve, which another process may have lent to itself at this moment. */
  async fill(disk: SmallDisk): Promise<void> {
    const fill = (): void => {
      this.#server?.pause();
      try {
        expect(reserveBytes(disk)).toBeGreaterThanOrEqual(this.#held);
        disk.fill();
      } finally {
        this.#server?.resume();
      }
    };
    await vi.waitFor(fill, patience);
  }
}

const sizeOf = (disk: SmallDisk, name: string): number =>
  statSync(join(disk.path, 'data', name), { throwIfNoEntry: false })?.size ?? 0;
const reserveBytes = (disk: SmallDisk): number => sizeOf(disk, 'tanzanite.reserve');
const isLogEmpty = (disk: SmallDisk): boolean => sizeOf(disk, 'devstoreaccount1.sqlite-wal') === 0;

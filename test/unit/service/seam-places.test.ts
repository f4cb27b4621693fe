// Which requests pass the seams (the places where faults can act), and what their record contains there.

import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../../src/model/request-record.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import { InFlight } from '../../../src/service/in-flight.ts';
import type { SeamOutcome, Seams } from '../../../src/service/seams.ts';
import { batchType, changesetBody } from '../../support/batch-requests.ts';
import { openClient, requestText, startServer } from '../../support/table-server.ts';

const closing = 'Connection: close\r\n';

async function send(port: number, text: string): Promise<string> {
  const { socket, closed } = openClient(port);
  socket.write(text);
  const received = await closed;
  socket.destroy();
  return received;
}

const createPets = requestText('/acct/Tables', { method: 'POST', headers: closing, body: '{"TableName":"pets"}' });
const preflight = requestText('/acct/pets', {
  method: 'OPTIONS',
  headers: `${closing}Origin: http://a\r\nAccess-Control-Request-Method: GET\r\n`,
});

/** A batch that inserts entities into the table pets. */
function batchOf(...rowKeys: string[]): string {
  const body = changesetBody(
    rowKeys.map((rowKey) => ({
      method: 'POST',
      url: 'http://x/acct/pets',
      headers: { Prefer: 'return-no-content' },
      body: JSON.stringify({ PartitionKey: 'p', RowKey: rowKey }),
    })),
  );
  const head = `POST /acct/$batch HTTP/1.1\r\nHost: x\r\nContent-Type: ${batchType}\r\nContent-Length: ${body.length}\r\n`;
  return `${head}${closing}\r\n${body}`;
}

function fail(name: string | symbol): never {
  throw new Error(`the list of seams was asked for ${String(name)}`);
}

describe('Without seams', () => {
  it('a request reads only the number of seams', async () => {
    const { port, service } = await startServer();
    expect(service.seams.current).toEqual([]);
    // If a seam were passed, it would be called.
    service.seams.current = new Proxy([], { get: (list, name) => (name === 'length' ? list.length : fail(name)) });
    expect(await send(port, createPets)).toMatch(/^HTTP\/1\.1 201 /);
  });
});

describe('A request that is refused before it is carried out', () => {
  const seen: string[] = [];
  const seams: Seams = {
    beforeRun: ({ operation }) => void seen.push(`run ${operation}`),
    beforeRefusal: ({ operation, table }) => void seen.push(`refusal ${operation} ${table ?? ''}`),
  };

  it.each([
    ['an address', requestText('/', { headers: closing }), 400, 'refusal Unknown '],
    ['a version', requestText('/acct/pets()?api-version=x', { headers: closing }), 400, 'refusal Unknown pets'],
    ['a body', createPets.replace('"TableName"', 'TableName--'), 400, 'refusal CreateTable '],
    ['a preflight', preflight, 403, 'run TablePreflightRequest'],
    ['nothing', requestText('/acct/none()', { headers: closing }), 404, 'run QueryEntities'],
  ])('passes a single seam once: %s', async (_, text, status, place) => {
    seen.length = 0;
    const { port } = await startServer({ seams: { current: [seams] } });
    expect(await send(port, text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(seen).toEqual([place]);
  });

  it('may get another answer at the seam, even if it is refused for overload', async () => {
    const tea = { status: 418, headers: [['Content-Length', '0']] } as const;
    const { port } = await startServer({
      seams: { current: [{ beforeRefusal: () => tea }] },
      inFlight: new InFlight({ requestsMax: 0 }),
    });
    expect(await send(port, createPets)).toMatch(/^HTTP\/1\.1 418 /);
  });
});

describe('Before it is carried out', () => {
  async function recordAt(text: string): Promise<Partial<RequestRecord>> {
    const seen: Partial<RequestRecord>[] = [];
    const seams: Seams = {
      beforeRun: (record, { member }) => void (member === undefined && seen.push({ ...record })),
    };
    const { port } = await startServer({ seams: { current: [seams] } });
    await send(port, text);
    expect(seen).toHaveLength(1);
    return seen[0] ?? {};
  }

  it('the record of a batch has its operations, with their tables and keys', async () => {
    expect(await recordAt(batchOf('a', 'b'))).toMatchObject({
      operation: 'EntityGroupTransaction',
      batchSize: 2,
      members: [
        { operation: 'InsertEntity', table: 'pets', partitionKey: 'p', rowKey: 'a', index: 0, status: undefined },
        { operation: 'InsertEntity', table: 'pets', partitionKey: 'p', rowKey: 'b', index: 1, status: undefined },
      ],
    });
  });

  it('the record of a refused batch has the wrong operation', async () => {
    expect(await recordAt(batchOf('a', 'a'))).toMatchObject({
      batchSize: 2,
      members: [{ index: 1, refusal: { code: 'InvalidDuplicateRow' } }],
    });
  });

  it('the record of an insert has its keys, and that of Create Table the name of the table', async () => {
    const body = '{"PartitionKey":"p","RowKey":"r"}';
    expect(await recordAt(requestText('/acct/pets', { method: 'POST', headers: closing, body }))).toMatchObject({
      table: 'pets',
      partitionKey: 'p',
      rowKey: 'r',
      mutation: { kind: 'insert' },
    });
    expect(await recordAt(createPets)).toMatchObject({ table: 'pets' });
  });
});

describe('An operation of a batch', () => {
  type Place = 'beforeRun' | 'afterCommit';

  /** Creates the table pets, and sends a batch of two inserts to a server that acts at the second insert. */
  async function batchWith(name: Place, act: () => SeamOutcome) {
    const passed: unknown[] = [];
    const seams: Seams = {
      [name]: (_record: RequestRecord, { member }: { member: number | undefined }) => {
        passed.push(member);
        return member === 1 ? act() : undefined;
      },
    };
    const { port, service, records } = await startServer();
    await send(port, createPets);
    service.seams.current = [seams];
    const response = await send(port, batchOf('a', 'b'));
    service.seams.current = [];
    const entities = (await send(port, requestText('/acct/pets()', { headers: closing }))).match(/"RowKey"/g) ?? [];
    return { response, passed, written: entities.length, record: records[1] };
  }

  const isWritten = { beforeRun: 0, afterCommit: 2 };
  const order = { beforeRun: [undefined, 0, 1], afterCommit: [0, 1] };

  it.each(['beforeRun', 'afterCommit'] as const)(
    'may be refused at %s: the batch fails with its error',
    async (name) => {
      const { response, passed, written, record } = await batchWith(name, () => {
        throw new ServiceError('InternalError');
      });
      expect(response).toMatch(/^HTTP\/1\.1 202 [\s\S]*HTTP\/1\.1 500 [\s\S]*"code":"InternalError"[\s\S]*"value":"1:/);
      expect(written).toBe(isWritten[name]);
      expect(passed.slice(0, order[name].length)).toEqual(order[name]);
      expect(record).toMatchObject({
        status: 202,
        batchSize: 2,
        members: [{ index: 1, status: 500, operation: 'InsertEntity', refusal: { code: 'InternalError' } }],
      });
    },
  );

  it.each(['beforeRun', 'afterCommit'] as const)('may end the connection of the batch at %s', async (name) => {
    const { response, written, record } = await batchWith(name, () => ({ kind: 'hangUp' }));
    expect([response, written, record?.status]).toEqual(['', isWritten[name], 444]);
  });
});

describe('Several seams', () => {
  it('are called in their order; the first delivery ends a place, and each changes the response', async () => {
    const passed: string[] = [];
    const seam = (name: string, outcome?: SeamOutcome): Seams => ({
      beforeRun: () => {
        passed.push(name);
        return outcome;
      },
      atSend: (_record, { status, headers }) => ({ status, headers: [...headers, [`x-${name}`, 'here']] }),
    });
    const tea = { status: 418, headers: [['Content-Length', '0']] } as const;
    const { port } = await startServer({ seams: { current: [seam('a'), seam('b', tea), seam('c')] } });
    const response = await send(port, createPets);
    expect(passed).toEqual(['a', 'b']);
    expect(response).toMatch(/^HTTP\/1\.1 418 [\s\S]*x-a: here\r\nx-b: here\r\nx-c: here\r\n/);
  });
});

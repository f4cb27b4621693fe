import { describe, expect, it } from 'vitest';
import { Capacity } from '../../../../src/capacity/capacity.ts';
import { EventStream } from '../../../../src/control/observe/event-stream.ts';
import { newRequestRecord, type RequestRecord } from '../../../../src/model/request-record.ts';
import { defaultSettings } from '../../../../src/settings/settings.ts';
import { ManualTime } from '../../../support/manual-time.ts';

const start = {
  requestId: 'id',
  clientRequestId: undefined,
  trace: undefined,
  isSecure: false,
  method: 'GET',
  url: '/devstoreaccount1/pets()',
  remoteAddress: '127.0.0.1',
  userAgent: undefined,
  connection: 1,
  connectionsOpen: 1,
  expectsContinue: false,
  startedAtMs: 0,
  startedMs: 0,
  headers: {},
};
const answered = (members: Partial<RequestRecord>): RequestRecord => ({
  ...newRequestRecord(start),
  status: 200,
  ...members,
});

interface Live {
  readonly dropped: number;
  readonly requests: readonly { readonly status: number; readonly filter?: string }[];
}

function open() {
  const time = new ManualTime();
  const capacity = new Capacity({ ...defaultSettings.capacity, throttle: 'observe', time, machineTime: time });
  const stream = new EventStream({ topics: new Set(['requests']), time, capacity: () => capacity.report() });
  let text = '';
  return {
    time,
    stream,
    /** Reads the events that have arrived since the last call, and returns them. */
    read(): Live[] {
      text = '';
      for (let chunk = stream.body.read(); chunk !== null; chunk = stream.body.read()) text += String(chunk);
      return [...text.matchAll(/^event: requests\ndata: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Live);
    },
  };
}

const times = (count: number, run: () => void): void => {
  for (let at = 0; at < count; at++) run();
};

describe('A stream of events', () => {
  it('sends the requests of a fifth of a second together, and nothing if there are none', async () => {
    const { time, stream, read } = open();
    times(3, () => stream.add(answered({})));
    expect(read()).toEqual([]);
    time.advance(200);
    expect(read()).toMatchObject([{ dropped: 0, requests: [{}, {}, {}] }]);
    time.advance(1_000);
    expect(read()).toEqual([]);
  });

  it('sends a burst completely, and then as many requests as people can read; refused ones count separately', () => {
    const { time, stream, read } = open();
    times(4_000, () => stream.add(answered({})));
    times(50, () => stream.add(answered({ status: 404 })));
    time.advance(200);
    const [live] = read();
    expect(live?.dropped).toBe(1_000);
    expect(live?.requests.filter(({ status }) => status === 200)).toHaveLength(3_000);
    expect(live?.requests.filter(({ status }) => status === 404)).toHaveLength(50);
    times(100, () => stream.add(answered({})));
    time.advance(200);
    expect(read()).toMatchObject([{ dropped: 40, requests: { length: 60 } }]);
  });

  it('keeps a bounded number of bytes for a client that does not read, and later says how much it missed', () => {
    const { time, stream, read } = open();
    const filter = `Name eq '${'x'.repeat(30_000)}'`;
    const rounds = 20;
    times(rounds, () => {
      times(100, () => stream.add(answered({ filter })));
      time.advance(200);
    });
    expect(stream.body.readableLength + stream.body.writableLength).toBeLessThan(2 * 4_100_000);
    const first = read();
    time.advance(200);
    const all = [...first, ...read()];
    const sent = all.reduce((sum, { dropped, requests }) => sum + dropped + requests.length, 0);
    expect(sent).toBe(rounds * 100);
    expect(all.reduce((sum, { requests }) => sum + requests.length, 0)).toBeLessThanOrEqual((3 * 4_100_000) / 30_000);
  });

  it('sends signs of life if nothing happens, and stops its timers when it is closed', () => {
    const { time, stream } = open();
    time.advance(20_000);
    expect(String(stream.body.read())).toContain(': \n\n');
    stream.close();
    stream.body.resume();
    expect(time.pending).toBe(0);
  });
});

// A batch cannot be an operation of a batch, at any depth.

import { describe, expect, it } from 'vitest';
import {
  answersIn,
  batchBody,
  callsOn,
  changesetPart,
  codeOf,
  requestPart,
  rowsOf,
  sendBatch,
  singleIn,
} from '../support/batch-requests.ts';
import { startService } from '../support/service.ts';

const service = await startService();
const { base } = service;
await service.createTable('pets');

const changesetMark = (level: number): string => `changeset_${level}`;

/** A part that contains a batch in a batch, and so on to this depth. The innermost part is an insert. */
function nestedPart(depth: number): string {
  let part = requestPart(callsOn(base, 'pets').insert('deep'));
  for (let level = 0; level < depth; level++) {
    const boundary = `batch_${level}`;
    const body = `--${boundary}\r\n${changesetPart([part], changesetMark(level))}--${boundary}--`;
    const headers = { 'Content-Type': `multipart/mixed; boundary=${boundary}` };
    part = requestPart({ method: 'POST', url: `${base}/$batch`, headers, body });
  }
  return part;
}

describe('A batch in a batch is refused, 400 InvalidInput,', () => {
  it.each([1, 2, 3000])('inside a changeset, at a depth of %i', async (depth) => {
    const body = batchBody([changesetPart([nestedPart(depth)], 'changeset_top')]);
    const answers = answersIn(await sendBatch(service, body));
    expect(answers.map((answer) => [answer.status, codeOf(answer)])).toEqual([[400, 'InvalidInput']]);
  });

  it('outside a changeset', async () => {
    const answer = singleIn(await sendBatch(service, batchBody([nestedPart(1)])));
    expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidInput']);
  });

  it('and then nothing is written', async () => {
    expect(await rowsOf(service, 'pets')).toEqual({});
  });
});

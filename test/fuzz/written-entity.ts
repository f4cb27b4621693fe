// Checks each entity that the emulator accepts. A read must return the same values as the response to the insert. If
// the entity is then written back as it was read, its values must not change.

import { expect } from 'vitest';
import { parseDateTime } from '../../src/model/ticks.ts';
import { byName, customOf } from '../support/arbitrary-entity.ts';
import { outcomeOf, service } from './emulator.ts';
import type { Outcome } from './target.ts';

const table = 'written';
let made: Promise<void> | undefined;

export interface WrittenBody {
  readonly body: Buffer;
  readonly contentType: string;
}

export async function checkWrite({ body, contentType }: WrittenBody): Promise<Outcome> {
  made ??= service.createTable(table);
  await made;
  const version = { 'x-ms-version': '2015-07-08' };
  const headers = { 'Content-Type': contentType, ...version };
  const sent = await service.send({ method: 'POST', path: `/${table}`, headers, body });
  const outcome = outcomeOf(sent);
  const path = sent.header('Location')?.slice(service.base.length);
  if (outcome === 'refused' || path === undefined) {
    expect([outcome, path]).toEqual(['refused', undefined]);
    return outcome;
  }
  const read = await service.get(path);
  expect([read.status, read.header('ETag')]).toEqual([200, sent.header('ETag')]);
  expect(valuesIn(read.body)).toEqual(valuesIn(sent.body));
  const again = await service.send({ method: 'PUT', path, body: read.body });
  expect(again.status, again.body).toBe(204);
  expect(valuesIn((await service.get(path)).body)).toEqual(valuesIn(read.body));
  const { status } = await service.send({ method: 'DELETE', path, headers: { 'If-Match': '*' } });
  expect(status).toBe(204);
  return outcome;
}

/**
 * Returns the properties, sorted by name. DateTimes become moments, because a response keeps the time zone that was
 * sent.
 */
function valuesIn(body: string): unknown[] {
  return customOf(body)
    .toSorted(byName)
    .map(([name, value]) => {
      const [, moment] = /^Edm\.DateTime (.*)$/.exec(value) ?? [];
      return [name, moment === undefined ? value : parseDateTime(moment)];
    });
}

import { describe, expect, it } from 'vitest';
import { BufferPool } from '../../../src/model/buffer-pool.ts';

const mebibyte = 1_048_576;

describe('A pool of buffers', () => {
  it('lends memory that was given back', () => {
    const pool = new BufferPool();
    const first = pool.take(100_000);
    expect(first.length).toBeGreaterThanOrEqual(100_000);
    pool.giveBack(first.subarray(10, 20));
    const second = pool.take(120_000);
    expect(second.buffer).toBe(first.buffer);
    expect(second).toHaveLength(first.length);
    expect(second.byteOffset).toBe(0);
  });

  it('never lends the same memory twice', () => {
    const pool = new BufferPool();
    const first = pool.take(mebibyte);
    pool.giveBack(first);
    pool.giveBack(first);
    expect(pool.take(mebibyte).buffer).not.toBe(pool.take(mebibyte).buffer);
  });

  it('does not lend a buffer that is too small', () => {
    const pool = new BufferPool();
    pool.giveBack(pool.take(mebibyte / 2));
    expect(pool.take(mebibyte).length).toBeGreaterThanOrEqual(mebibyte);
  });

  it('makes small buffers of the requested size, and does not keep them', () => {
    const pool = new BufferPool();
    const first = pool.take(10_000);
    expect(first).toHaveLength(10_000);
    pool.giveBack(first);
    expect(pool.take(10_000).buffer).not.toBe(first.buffer);
  });

  it('lends no large buffer for a small body: a slow client would use more memory than is counted', () => {
    const pool = new BufferPool();
    const large = pool.take(4 * mebibyte);
    pool.giveBack(large);
    for (const bytes of [65_537, 100_000, mebibyte]) expect(pool.take(bytes).length).toBeLessThan(2 * bytes);
    expect(pool.take(4 * mebibyte).buffer).toBe(large.buffer);
  });

  it('ignores buffers that are not its own', () => {
    const pool = new BufferPool();
    const foreign = [Buffer.alloc(mebibyte), Buffer.from('shared memory of Node'), new BufferPool().take(mebibyte)];
    for (const buffer of foreign) pool.giveBack(buffer);
    const taken = pool.take(mebibyte);
    for (const { buffer } of foreign) expect(taken.buffer).not.toBe(buffer);
  });

  it('keeps four mebibytes at most', () => {
    const pool = new BufferPool();
    const lent = Array.from({ length: 8 }, () => pool.take(mebibyte));
    for (const buffer of lent) pool.giveBack(buffer);
    const known = new Set(lent.map(({ buffer }) => buffer));
    const again = Array.from({ length: 8 }, () => pool.take(mebibyte));
    expect(again.filter(({ buffer }) => known.has(buffer))).toHaveLength(4);
  });
});

// The files of model, query, data and faults that also run in a browser, as parts of the console.

import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { type OutputChunk, rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import files from '../../../scripts/browser-safe.json' with { type: 'json' };

const root = fileURLToPath(new URL('../../..', import.meta.url));

async function bundle(input: string, isShaken: boolean): Promise<{ code: string; modules: readonly string[] }> {
  const build = await rolldown({
    cwd: root,
    input: 'main',
    platform: 'browser',
    treeshake: isShaken,
    plugins: [
      {
        name: 'main',
        resolveId: (id) => (id === 'main' ? id : null),
        load: (id) => (id === 'main' ? input : null),
      },
    ],
  });
  const { output } = await build.generate({ format: isShaken ? 'esm' : 'iife', name: 'safe' });
  await build.close();
  const chunks = output.filter((file): file is OutputChunk => file.type === 'chunk');
  const modules = chunks
    .flatMap(({ moduleIds }) => moduleIds)
    .filter((id) => id.startsWith(`${root}src`))
    .map((id) => relative(`${root}src`, id).replaceAll(sep, '/'));
  return { code: chunks[0]?.code ?? '', modules };
}

const entity =
  '{"PartitionKey":"p","RowKey":"r","Bytes@odata.type":"Edm.Binary","Bytes":"AP/+gA==","Real":5.0,' +
  '"Big@odata.type":"Edm.Int64","Big":"9007199254740993","When@odata.type":"Edm.DateTime","When":"2026-01-31T12:00:00.1234567Z"}';

describe('Browser-safe files', { timeout: 120_000 }, () => {
  it('are exactly those that the console uses', async () => {
    const { modules } = await bundle(`import '${root}src/console/main.tsx';`, true);
    expect(modules.filter((file) => !file.startsWith('console/')).sort()).toEqual([...files].sort());
  });

  it('use nothing from Node, except for one file, which looks for Buffer', () => {
    const users = files.filter((file) =>
      /\b(?:Buffer|process|require|setImmediate)\b(?!')|node:/.test(
        readFileSync(`${root}src/${file}`, 'utf8').replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, ''),
      ),
    );
    expect(users).toEqual(['model/binary.ts']);
  });

  it('read entities and CSV with the globals of a browser in the same way as on Node', async () => {
    const list = files.map((file, at) => `export * as m${at} from '${root}src/${file}';`).join('\n');
    const { code, modules } = await bundle(list, false);
    expect([...modules].sort()).toEqual([...files].sort());
    const of = (file: string): string => `safe.m${files.indexOf(file)}`;
    const script = `${code}; (() => {
      const read = ${of('data/file-entity.ts')}.readFileEntity(${JSON.stringify(entity)});
      const names = ['Big', 'Bytes', 'Real', 'When'];
      const text = ${of('data/entity-csv.ts')}.csvHeader(names) + ${of('data/entity-csv.ts')}.csvEntity(read, names);
      const reader = new (${of('data/entity-reader.ts')}.EntityReader)('csv');
      const bytes = new TextEncoder().encode(text);
      const back = [...reader.push(bytes), ...reader.end()].map(({ entity }) => ${of('data/file-entity.ts')}.fileLine(entity));
      const filter = ${of('query/render-filter.ts')}.renderLiteral({ type: 'Edm.Binary', value: new Uint8Array([0, 255]) });
      return JSON.stringify({ text, back, filter });
    })()`;
    const browser = createContext({ TextDecoder, TextEncoder, atob, btoa });
    const inBrowser = runInContext(script, browser) as string;
    const onNode = runInContext(script, createContext({ TextDecoder, TextEncoder, Buffer })) as string;
    expect(inBrowser).toBe(onNode);
    const { text, back, filter } = JSON.parse(inBrowser) as { text: string; back: string[]; filter: string };
    expect(text).toContain(
      '9007199254740993,Edm.Int64,AP/+gA==,Edm.Binary,5.0,Edm.Double,2026-01-31T12:00:00.1234567Z',
    );
    expect(back).toHaveLength(1);
    expect(back[0]).toContain('"Bytes@odata.type":"Edm.Binary","Bytes":"AP/+gA=="');
    expect(filter).toBe("X'00ff'");
  });
});

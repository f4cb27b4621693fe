import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TableClient } from '@azure/data-tables';
import { describe, expect, it } from 'vitest';
import { expectNoFindings, startEmulator } from '../../../src/index.ts';
import { addAdvisorMatcher } from '../../../src/library/vitest.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

addAdvisorMatcher();

async function startWithFinding() {
  const emulator = await startEmulator();
  const client = TableClient.fromConnectionString(emulator.connectionString, 'Pets', { allowInsecureConnection: true });
  await client.createTable();
  for await (const pet of client.listEntities({ queryOptions: { filter: "RowKey eq 'a' or RowKey eq 'b'" } })) void pet;
  return emulator;
}

const ignore = [{ rule: 'or-of-keys', reason: 'few keys' }] as const;

describe('The advisor of the library', async () => {
  const emulator = await startWithFinding();

  it('returns the same report as GET /_emulator/advisor', async () => {
    const answer = await fetch(`${emulator.url}/_emulator/advisor`);
    const { to: _to, ...report } = await emulator.advisor.report();
    expect(await answer.json()).toMatchObject(report);
    expect(report.findings.map(({ rule }) => rule)).toEqual(['or-of-keys']);
  });

  it('makes expectNoFindings reject with a list of findings, unless they are below `least` or accepted', async () => {
    await expect(expectNoFindings(emulator)).rejects.toThrow(
      /the advisor has findings:\n1 finding[\s\S]*or-of-keys in Pets/,
    );
    await expectNoFindings(emulator, { least: 'error' });
    await expectNoFindings(emulator, { ignore });
  });

  it('refuses invalid options', async () => {
    await expect(expectNoFindings(emulator, { least: 'fatal' as never })).rejects.toThrow(
      'least must be one of error, warning, note',
    );
    const unknown = [{ rule: 'or-of-key', reason: 'x' }];
    await expect(expectNoFindings(emulator, { ignore: unknown })).rejects.toThrow('ignore: there is no rule or-of-key');
    const unreasoned = [{ rule: 'or-of-keys', reason: '' }];
    await expect(expectNoFindings(emulator, { ignore: unreasoned })).rejects.toThrow(
      'ignore: or-of-keys needs a reason',
    );
  });

  it('has a matcher for Vitest', async () => {
    await expect(emulator).toHaveNoFindings({ ignore });
    await expect(emulator).not.toHaveNoFindings();
    await expect(expect(emulator).toHaveNoFindings()).rejects.toThrow('or-of-keys in Pets');
  });

  it('starts again after clear, and still reports after close', async () => {
    emulator.advisor.clear();
    await expectNoFindings(emulator, { least: 'note' });
    await emulator.close();
    expect((await emulator.advisor.report()).requests).toBe(0);
  });

  it('rejects with advisor: false', async () => {
    await using silent = await startEmulator({ advisor: false });
    await expect(silent.advisor.report()).rejects.toThrow('the advisor is off');
  });
});

describe('storedBytes of the report', () => {
  it('is also measured for tables with many thousand entities', async () => {
    const entities = 20_500;
    const folder = temporaryFolder();
    const file = join(folder.path, 'Many.ndjson');
    const line = (at: number): string =>
      JSON.stringify({ PartitionKey: 'p', RowKey: String(at).padStart(6, '0'), n: at });
    writeFileSync(file, Array.from({ length: entities }, (_, at) => line(at)).join('\n'));
    await using emulator = await startEmulator();
    await emulator.seed(file);
    const client = TableClient.fromConnectionString(emulator.connectionString, 'Many', {
      allowInsecureConnection: true,
    });
    await client.getEntity('p', '000007');
    // Each entity has 4 B, and 2 B for each of the 7 characters of its keys. Its property has 8 B, 2 B for the name,
    // and 4 B for the 32-bit number.
    const each = 4 + 2 * 7 + 8 + 2 + 4;
    expect((await emulator.advisor.report()).tables).toMatchObject([{ table: 'Many', storedBytes: entities * each }]);
    folder.remove();
  });
});

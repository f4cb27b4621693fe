import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sasConnectionString } from '../../../src/auth/connection-string.ts';
import { signTableSas } from '../../../src/auth/sign-shared-access.ts';
import { type CommandResult, runCommand } from '../../support/run-command.ts';
import { startService } from '../../support/service.ts';
import { developmentKey } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const service = await startService();
const env = {
  TANZANITE_URL: service.origin,
  AZURE_STORAGE_CONNECTION_STRING: '',
  AZURE_TABLES_CONNECTION_STRING: '',
  AZURITE_ACCOUNTS: '',
};
const entity = (...words: readonly string[]): Promise<CommandResult> => runCommand(['entity', ...words], { env });

async function print(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await entity(...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const typed = [
  ...['name=Ada', 'age:Int32=36', 'big:Int64=9007199254740993', 'ratio:Double=5', 'ok:Boolean=true', 'empty='],
  ...['born:DateTime=1815-12-10', 'id:Guid=01234567-89AB-cdef-0123-456789abcdef', 'raw:Binary=3q2+7w=='],
];

describe('entity put', () => {
  it('stores every type; get prints one line per property', async () => {
    await service.createTable('typed');
    expect(await print('put', 'typed', 'a', '1', ...typed)).toBe(
      `put entity with PartitionKey 'a' and RowKey '1' in table typed at ${service.base}\n`,
    );
    expect((await print('get', 'typed', 'a', '1')).split('\n').filter((line) => !line.startsWith('Timestamp'))).toEqual(
      [
        'PartitionKey  String    a',
        'RowKey        String    1',
        'age           Int32     36',
        'big           Int64     9007199254740993',
        'born          DateTime  1815-12-10T00:00:00Z',
        "empty         String    ''",
        'id            Guid      01234567-89ab-cdef-0123-456789abcdef',
        'name          String    Ada',
        'ok            Boolean   true',
        'ratio         Double    5.0',
        'raw           Binary    3q2+7w==',
        '',
      ],
    );
  });

  it('replaces all properties, while merge keeps other ones', async () => {
    await service.createTable('replaced');
    await print('put', 'replaced', 'a', '1', 'x=1', 'y=2');
    expect(await print('merge', 'replaced', 'a', '1', 'y=3', 'z=4')).toMatch(/^merged entity with /);
    const members = async (): Promise<unknown> => {
      const {
        PartitionKey: _,
        RowKey: _key,
        Timestamp,
        ...own
      } = JSON.parse(await print('get', 'replaced', 'a', '1', '--json'));
      expect(Timestamp).toMatch(/Z$/);
      return own;
    };
    expect(await members()).toEqual({ x: '1', y: '3', z: '4' });
    await print('put', 'replaced', 'a', '1', 'z=5');
    expect(await members()).toEqual({ z: '5' });
  });

  it('accepts the JSON that get prints, from a flag or a file, with other keys and other properties', async () => {
    await service.createTable('copied');
    await print('put', 'copied', 'a', '1', ...typed);
    const json = await print('get', 'copied', 'a', '1', '--json');
    const folder = temporaryFolder();
    writeFileSync(join(folder.path, 'one.json'), json);
    await print('put', 'copied', 'b', '1', '--json', json);
    await print('put', 'copied', 'b', '2', '--file', join(folder.path, 'one.json'), 'more=1');
    folder.remove();
    const withoutKeys = (text: string): string => text.replace(/"PartitionKey.*?"Timestamp":"[^"]*",/, '').trim();
    expect(withoutKeys(await print('get', 'copied', 'b', '1', '--json'))).toBe(withoutKeys(json));
    expect(JSON.parse(await print('get', 'copied', 'b', '2', '--json'))).toMatchObject({
      more: '1',
      'big@odata.type': 'Edm.Int64',
    });
  });

  it.each([
    [['age:Int32=x'], "age: 'x' does not fit Int32, which takes a whole number from -2147483648 to 2147483647."],
    [['age:Int=1'], 'age: there is no type Int, only String, Boolean,'],
    [['a=1', 'a=2'], 'property a is given twice.'],
    [['a=1', '--json', '{"a":2}'], 'property a is given twice.'],
    [['--json', '{"a":[]}'], '--json: value expected at position 5: an entity is one JSON object'],
    [['--file', '/nowhere/absent.json'], '--file /nowhere/absent.json cannot be read: '],
  ])('of %j is refused with code 2, before anything is sent', async (words, reason) => {
    const { code, stdout, stderr } = await entity('put', 'typed', 'a', '1', ...words, '--url', 'http://127.0.0.1:1');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`tanzanite: ${reason}`);
  });
});

describe('entity query', () => {
  it('prints the entities that a filter selects as a table', async () => {
    await service.createTable('people');
    await print('put', 'people', 'a', '1', 'name=Ada', 'age:Int32=36');
    await print('put', 'people', 'a', '2', 'name=Grace', 'age:Int32=85');
    await print('put', 'people', 'b', "it's", 'note=a,"b"');
    const printed = await print('query', 'people', "PartitionKey eq 'a'");
    // The number of digits in a Timestamp varies.
    expect(printed.replaceAll(/ *\d{4}-.*Z$/gm, ' T').replace(/-{20,}$/m, '---')).toBe(
      [
        'PartitionKey  RowKey  age  name   Timestamp',
        '------------  ------  ---  -----  ---',
        'a             1        36  Ada T',
        'a             2        85  Grace T',
        '',
      ].join('\n'),
    );
  });

  it('prints the selected columns in the given order, for at most the given number of entities', async () => {
    expect(await print('query', 'people', 'age gt 1', '--select', 'name,RowKey,absent', '--top', '1')).toBe(
      ['name  RowKey  absent', '----  ------  ------', 'Ada   1', ''].join('\n'),
    );
  });

  it('prints JSON, with types, in an array or line by line', async () => {
    const [array, lines] = [await print('query', 'people', '--json'), await print('query', 'people', '--ndjson')];
    const rows = JSON.parse(array);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatchObject({ PartitionKey: 'a', RowKey: '1', age: 36, name: 'Ada' });
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(rows);
    expect(lines).toMatch(/\n$/);
  });

  it('prints CSV with every name that occurs, or with the selected names', async () => {
    const csv = await print('query', 'people', '--csv');
    expect(csv.replaceAll(/[\d-]{10}T[\d:.]*Z/g, 'T')).toBe(
      'PartitionKey,RowKey,age,name,note,Timestamp\r\na,1,36,Ada,,T\r\na,2,85,Grace,,T\r\nb,it\'s,,,"a,""b""",T\r\n',
    );
    expect(await print('query', 'people', '--csv', '--select', 'note,absent')).toBe(
      'note,absent\r\n,\r\n,\r\n"a,""b""",\r\n',
    );
  });

  it('says that no entity matches, and still prints output that a program can read', async () => {
    const none = (...flags: string[]): Promise<CommandResult> =>
      entity('query', 'people', "PartitionKey eq 'x'", ...flags);
    const said = `no entities match the filter in table people at ${service.base}\n`;
    expect(await none()).toEqual({ code: 0, stdout: '', stderr: said });
    expect(await none('--json')).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
    expect(await none('--ndjson')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await none('--csv', '--select', 'a')).toEqual({ code: 0, stdout: 'a\r\n', stderr: '' });
  });

  it('escapes characters that a terminal would interpret', async () => {
    await service.createTable('hostile');
    await service.insert('hostile', { RowKey: '\u202er', evil: '\u001b[31m\u009b\u2028\n\u007f' });
    const table = await print('query', 'hostile');
    expect(table).toContain('\\u202er  \\u001b[31m\\u009b\\u2028\\u000a\\u007f');
    const json = await print('query', 'hostile', '--json');
    expect(json).toMatch(/^[\x20-\x7e\n]*$/);
    expect(JSON.parse(json)[0].evil).toBe('\u001b[31m\u009b\u2028\n\u007f');
    expect(await print('get', 'hostile', 'p', '\u202er')).toContain('\\u202er');
  });

  it('names the properties that do not fit into the table', async () => {
    await service.createTable('wide');
    const long = 'x'.repeat(60);
    await print('put', 'wide', 'a', '1', ...Array.from({ length: 12 }, (_, at) => `p${at}=${long}`));
    const { stdout, stderr } = await entity('query', 'wide');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(stderr).toBe(
      'no room for p3, p4, p5, p6, p7 and 3 more: choose columns with --select, or print --json or --csv\n',
    );
  });

  it.each([
    [['query', 'people', 'age gt'], 2, /answers 400 InvalidInput: .*position 6/],
    [
      ['query', 'people', 'PartitionKey', 'eq', 'dog'],
      2,
      /"dog" is read as a property.* Read as: PartitionKey eq dog\. Quo/,
    ],
    [['query'], 2, /^tanzanite: entity query needs a <table>\. tanzanite entity query --help lists the flags\n$/],
    [['get', 'people', 'a'], 2, /^tanzanite: entity get needs a <rowKey>\. tanzanite entity get --help/],
    [['get', 'people', 'a', 'b', 'c'], 2, /^tanzanite: entity get takes 3 words, not 4; quote a word that/],
    [['query', 'people', '', '--top', '0'], 2, /whole number from 1 up/],
    [['query', 'people', '--json', '--csv'], 2, /cannot be used with/],
    [['query', 'peple'], 1, /there is no table peple at http:.*It has .*people/],
    [['get', 'peple', 'a', '1'], 1, /there is no table peple at http:.*It has .*people/],
    [
      ['get', 'people', 'a', '9'],
      1,
      /there is no entity with PartitionKey 'a' and RowKey '9' in table people at http:/,
    ],
    [
      ['delete', 'people', 'a', '9'],
      1,
      /there is no entity with PartitionKey 'a' and RowKey '9' in table people at http:/,
    ],
    [['put', 'people', 'a', 'b/c'], 2, /answers 400 InvalidInput/],
    [['put', 'people', 'a', '1', `a=${'x'.repeat(40_000)}`], 2, /answers 400 PropertyValueTooLarge/],
  ])('%j ends with code %i and a reason', async (words, expected, reason) => {
    const { code, stdout, stderr } = await entity(...words);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toMatch(reason);
  });

  it('that is refused for its filter says each sentence once', async () => {
    const { stderr } = await entity('query', 'people', "not (age eq 'x'");
    const sentences = stderr.split(/(?<=[.:]) /);
    expect(new Set(sentences).size).toBe(sentences.length);
  });
});

describe('entity delete', () => {
  it('deletes one entity', async () => {
    await service.createTable('deleted');
    await print('put', 'deleted', 'a', '1');
    expect(await print('delete', 'deleted', 'a', '1')).toBe(
      `deleted entity with PartitionKey 'a' and RowKey '1' in table deleted at ${service.base}\n`,
    );
    expect((await entity('get', 'deleted', 'a', '1')).code).toBe(1);
  });
});

describe('a shared access signature', () => {
  const expiresMs = Date.now() + 3_600_000;
  const signer = { account: 'devstoreaccount1', key: developmentKey };
  const signed = (permissions: string): string =>
    sasConnectionString({ url: service.base }, signTableSas('signed', { permissions, expiresMs }, signer));

  it('gives the access to its table that it allows', async () => {
    await service.createTable('signed');
    const all = ['--connection-string', signed('raud')];
    await print('put', 'signed', 'a', "o'1", 'x=1', ...all);
    expect(await print('query', 'signed', '--csv', '--select', 'RowKey,x', ...all)).toBe("RowKey,x\r\no'1,1\r\n");
  });

  it('that does not allow a request is mentioned, but not repeated', async () => {
    const text = signed('r');
    const { code, stderr } = await entity('delete', 'signed', 'a', 'x', '--connection-string', text);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /answers 403 Authoriz\w+: .*authorized with the shared access signature in --connection-string\./,
    );
    expect(stderr).not.toContain('sig=');
  });
});

import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { SignatureResponse } from '../../../control/identity/signature.ts';
import { api } from '../../client/api.ts';
import { listTables } from '../../client/table-client.ts';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { CheckField, SelectField } from '../../components/field.tsx';
import { formatTime } from '../../format.ts';
import { endpointOf } from './connection-string.ts';
import { curlLine } from './curl-line.ts';
import { SignatureParts } from './signature-parts.tsx';

/** What each letter allows, for an account and for a table. Source: docs, Create an account SAS; Create a service SAS. */
const permissions = {
  account: [
    ['r', 'Read and query entities'],
    ['w', 'Set properties of the service and access policies'],
    ['d', 'Delete entities and tables'],
    ['l', 'List tables'],
    ['a', 'Insert entities'],
    ['c', 'Create tables'],
    ['u', 'Update and merge entities'],
  ],
  table: [
    ['r', 'Read and query entities'],
    ['a', 'Insert entities'],
    ['u', 'Update and merge entities'],
    ['d', 'Delete entities'],
  ],
} as const;

const lifetimes = [1, 5, 15];

/** Makes a shared access signature and says what each of its parts means. */
export function SignatureBuilder({ account }: { readonly account: string }): JSX.Element {
  const [table, setTable] = useState('');
  const [letters, setLetters] = useState('rl');
  const [minutes, setMinutes] = useState(15);
  const [made, setMade] = useState<SignatureResponse>();
  const [fault, setFault] = useState<unknown>();
  const tables = useTables(account);
  const choices: readonly (readonly [string, string])[] = permissions[table === '' ? 'account' : 'table'];
  const chosen = choices.filter(([letter]) => letters.includes(letter)).map(([letter]) => letter);
  const make = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      const body = { account, minutes, permissions: chosen.join(''), ...(table !== '' && { table }) };
      setMade(await api<SignatureResponse>('signature', { method: 'POST', body }));
      setFault(undefined);
    } catch (error) {
      setFault(error);
    }
  };
  return (
    <section class="card">
      <div class="card-head">
        <h2>Shared access signature</h2>
        <span class="muted">gives access to an account or a table for a while, without the key</span>
      </div>
      <form class="card-body signature-form" onSubmit={(event) => void make(event)}>
        <SelectField
          label="Opens"
          value={table}
          onInput={setTable}
          options={[
            { value: '', label: 'The account: all tables' },
            ...tables.map((name) => ({ value: name, label: `The table ${name}` })),
          ]}
        />
        <SelectField
          label="Expires after"
          value={String(minutes)}
          onInput={(value) => setMinutes(Number(value))}
          options={lifetimes.map((value) => ({
            value: String(value),
            label: value === 1 ? 'a minute' : `${value} minutes`,
          }))}
          hint={
            <>
              For longer: <code>{commandFor({ account, table, letters: chosen.join('') })}</code>
            </>
          }
        />
        <fieldset class="signature-permissions">
          <legend class="label">Allows</legend>
          {choices.map(([letter, words]) => (
            <CheckField
              key={letter}
              isChecked={letters.includes(letter)}
              onInput={(isOn) => setLetters(isOn ? letters + letter : letters.replace(letter, ''))}
              label={
                <>
                  {words} <code class="muted">{letter}</code>
                </>
              }
            />
          ))}
        </fieldset>
        <div>
          <Button kind="primary" type="submit" icon="key" isDisabled={chosen.length === 0}>
            Make a signature
          </Button>
        </div>
        {fault !== undefined && <ErrorBox error={fault} />}
      </form>
      {made && <Made made={made} tables={tables} />}
    </section>
  );
}

function useTables(account: string): readonly string[] {
  const [tables, setTables] = useState<readonly string[]>([]);
  useEffect(() => {
    // If the list cannot be read, a signature for the account can still be made.
    listTables(account).then(
      (page) => setTables(page.tables),
      () => setTables([]),
    );
  }, [account]);
  return tables;
}

interface Wanted {
  readonly account: string;
  readonly table: string;
  readonly letters: string;
}

function commandFor({ account, table, letters }: Wanted): string {
  const kind = table === '' ? '' : ` --table ${table}`;
  return `tanzanite connection-string --account ${account} --sas${kind} --permissions ${letters || 'r'} --expires 86400`;
}

interface MadeProps {
  readonly made: SignatureResponse;
  /** The tables of the account. */
  readonly tables: readonly string[];
}

function Made({ made, tables }: MadeProps): JSX.Element {
  const { account, signature, expiresAt } = made;
  const curl = useMemo(() => curlLine(made, tables), [made, tables]);
  return (
    <div class="card-body stack signature-made" aria-live="polite">
      <div class="field">
        <h3>Signature</h3>
        <CodeBlock text={signature} what="signature" />
        <p class="hint">Until {formatTime(expiresAt)}.</p>
      </div>
      <div class="field">
        <h3>Connection string</h3>
        <CodeBlock
          text={`TableEndpoint=${endpointOf(account)};SharedAccessSignature=${signature}`}
          what="connection string with the signature"
        />
      </div>
      <div class="field">
        <h3>curl</h3>
        {curl === undefined ? (
          <p class="muted">Its permissions need an existing entity or table, so no command always succeeds.</p>
        ) : (
          <CodeBlock text={curl} what="curl command" />
        )}
      </div>
      <SignatureParts signature={signature} />
    </div>
  );
}

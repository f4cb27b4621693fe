import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Badge } from '../../components/badge.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { TextArea } from '../../components/field.tsx';
import { Text } from '../../components/text.tsx';
import { formatMoment } from '../../format.ts';
import { concernsAbout, type Expected, meaningOf, type ReadToken, takeTokenApart, timeOf } from './token-parts.ts';

type Known = Omit<Expected, 'nowMs'>;

/** Takes a pasted token apart. It stays in this page. */
export function TokenReader(known: Known): JSX.Element {
  const [text, setText] = useState('');
  const token = takeTokenApart(text);
  return (
    <section class="card">
      <div class="card-head">
        <h2>Read a token</h2>
        <span class="muted">it is taken apart in this page and sent nowhere</span>
      </div>
      <div class="card-body">
        <TextArea
          label="Token"
          rows={4}
          value={text}
          onInput={setText}
          hint="Paste a bearer token, or a header Authorization with one."
          fault={
            text.trim() !== '' && !token
              ? 'This is not a token. A token has three parts in base64url, separated by dots.'
              : undefined
          }
        />
      </div>
      {token && <TokenParts token={token} known={known} />}
    </section>
  );
}

interface TokenPartsProps {
  readonly token: ReadToken;
  readonly known: Known;
}

interface Member {
  readonly place: 'header' | 'claim';
  readonly name: string;
  readonly value: unknown;
}

function TokenParts({ token, known }: TokenPartsProps): JSX.Element {
  const concerns = concernsAbout(token, { ...known, nowMs: Date.now() });
  const members = [...membersOf('header', token.header), ...membersOf('claim', token.claims)];
  return (
    <>
      <div class="card-body identity-verdict" role="status">
        {concerns.length === 0 ? (
          <p>
            <Badge tone="good">fits</Badge> No fault was found. The signature is not checked here.
          </p>
        ) : (
          <ul>
            {concerns.map((concern) => (
              <li key={concern}>{concern}</li>
            ))}
          </ul>
        )}
      </div>
      <DataTable<Member>
        caption="Parts of the token"
        rows={members}
        keyOf={({ place, name }) => `${place} ${name}`}
        columns={[
          {
            name: 'Part',
            cell: ({ place, name }) => (
              <div class="identity-name">
                <code>
                  <Text text={name} charsMax={60} />
                </code>
                {place === 'header' && <Badge tone="neutral">header</Badge>}
              </div>
            ),
          },
          { name: 'Value', cell: (member) => <Value {...member} /> },
          { name: 'Meaning', cell: ({ name }) => meaningOf(name) },
        ]}
      />
    </>
  );
}

const membersOf = (place: Member['place'], values: Readonly<Record<string, unknown>>): Member[] =>
  Object.entries(values).map(([name, value]) => ({ place, name, value }));

function Value({ name, value }: Member): JSX.Element {
  const ms = timeOf(name, value);
  return (
    <>
      <code>
        <Text text={typeof value === 'string' ? value : JSON.stringify(value)} charsMax={400} />
      </code>
      {ms !== undefined && <span class="muted"> {formatMoment(new Date(ms).toISOString())}</span>}
    </>
  );
}

import type { JSX } from 'preact';
import { DataTable } from '../../components/data-table.tsx';
import { Text } from '../../components/text.tsx';
import { formatMoment } from '../../format.ts';

interface Part {
  readonly name: string;
  readonly value: string;
}

/** What each member of a signature says. Source: docs, Create an account SAS; Create a service SAS. */
const meanings: Readonly<Record<string, string | ((value: string) => string)>> = {
  sv: 'The version of the service that defines how it was signed.',
  ss: 'The services to which it gives access: t stands for tables.',
  srt: 'What it gives access to: s the service itself, c containers (here tables), o objects (here entities).',
  tn: 'The table to which it gives access.',
  sp: 'What it allows: a letter for each permission.',
  se: (value) => `When it expires: ${formatMoment(value)} in your time zone.`,
  sig: 'The proof: an HMAC-SHA256 over the other parts with the key of the account, in base64. It is wrong as soon as one part is changed.',
};

/** The parts of a signature, one by one. */
export function SignatureParts({ signature }: { readonly signature: string }): JSX.Element {
  const parts = [...new URLSearchParams(signature)].map(([name, value]) => ({ name, value }));
  return (
    <DataTable<Part>
      caption="Parts of the signature"
      rows={parts}
      keyOf={({ name }) => name}
      columns={[
        { name: 'Part', cell: ({ name }) => <code>{name}</code> },
        {
          name: 'Value',
          cell: ({ value }) => (
            <code>
              <Text text={value} />
            </code>
          ),
        },
        { name: 'Meaning', cell: (part) => meaningOf(part) },
      ]}
    />
  );
}

function meaningOf({ name, value }: Part): string {
  const meaning = meanings[name] ?? '';
  return typeof meaning === 'string' ? meaning : meaning(value);
}

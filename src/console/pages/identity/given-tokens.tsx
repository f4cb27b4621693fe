import type { JSX } from 'preact';
import type { IdentityReport } from '../../../control/identity/identity-actions.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Text } from '../../components/text.tsx';
import { formatCount, formatMoment } from '../../format.ts';

type Given = IdentityReport['tokens']['latest'][number];

/** Facts about the latest tokens. The tokens themselves are not kept. */
export function GivenTokens({ tokens: { count, latest } }: Pick<IdentityReport, 'tokens'>): JSX.Element {
  return (
    <section class="card">
      <div class="card-head">
        <h2>Tokens given</h2>
        <span class="muted">{formatCount(count, 'token')} since the start</span>
      </div>
      {latest.length === 0 ? (
        <p class="card-body muted">
          None yet. <code>tanzanite env --identity</code> prints what a program needs to ask for one.
        </p>
      ) : (
        <DataTable<Given>
          caption="Tokens given"
          rows={latest}
          keyOf={({ id }) => id}
          columns={[
            { name: 'Given', cell: ({ at }) => formatMoment(at) },
            { name: 'To', cell: ({ name }) => <Text text={name} charsMax={100} /> },
            {
              name: 'For',
              cell: ({ audience }) => (
                <code>
                  <Text text={audience} charsMax={100} />
                </code>
              ),
            },
            { name: 'By', cell: ({ grant }) => grants[grant] },
            { name: 'Expires', cell: ({ expiresAt }) => formatMoment(expiresAt) },
          ]}
        />
      )}
    </section>
  );
}

const grants: Readonly<Record<Given['grant'], string>> = {
  secret: 'secret',
  certificate: 'certificate',
  federated: 'federated token',
  imds: 'managed identity (virtual machine)',
  'app service': 'managed identity (App Service)',
  'control plane': 'console, command line or library',
};

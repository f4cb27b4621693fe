import type { JSX } from 'preact';
import type { IdentityReport } from '../../../control/identity/identity-actions.ts';
import { DataTable } from '../../components/data-table.tsx';
import { formatMoment } from '../../format.ts';

type Key = IdentityReport['keys'][number];

/** The keys whose tokens are still valid. */
export function KeyTable({ keys }: Pick<IdentityReport, 'keys'>): JSX.Element {
  return (
    <section class="card">
      <div class="card-head">
        <h2>Keys</h2>
        <span class="muted">RSA, 2,048 bits</span>
      </div>
      <DataTable<Key>
        caption="Keys"
        rows={keys}
        keyOf={({ kid }) => kid}
        columns={[
          { name: 'Key id', cell: ({ kid }) => <code class="identity-kid">{kid}</code> },
          {
            name: 'Use',
            cell: ({ holdsUntil }) =>
              holdsUntil === null ? 'signs new tokens' : `its tokens are valid until ${formatMoment(holdsUntil)}`,
          },
        ]}
      />
    </section>
  );
}

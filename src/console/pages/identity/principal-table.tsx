import type { JSX } from 'preact';
import type { IdentityReport, PrincipalReport } from '../../../control/identity/identity-actions.ts';
import { Badge } from '../../components/badge.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Text } from '../../components/text.tsx';
import { formatCount } from '../../format.ts';

/** Who can ask for tokens. */
export function PrincipalTable({ report }: { readonly report: IdentityReport }): JSX.Element {
  const { principals, tenantId } = report;
  return (
    <section class="card">
      <div class="card-head">
        <h2>Principals</h2>
        <span class="muted">
          tenant <code>{tenantId}</code>, also by the name <code>adfs</code>
        </span>
      </div>
      <DataTable<PrincipalReport>
        caption="Principals"
        rows={principals}
        keyOf={({ clientId }) => clientId}
        columns={[
          { name: 'Name', cell: (principal) => <Name principal={principal} isDefault={principal === principals[0]} /> },
          { name: 'Client id', cell: ({ clientId }) => <code>{clientId}</code> },
          { name: 'Object id', cell: ({ objectId }) => <code>{objectId}</code> },
          { name: 'Proves its identity by', cell: describeProofs },
          { name: 'Roles', cell: ({ roles }) => <Roles roles={roles} /> },
        ]}
      />
    </section>
  );
}

function Name({
  principal,
  isDefault,
}: {
  readonly principal: PrincipalReport;
  readonly isDefault: boolean;
}): JSX.Element {
  const { name, from } = principal;
  return (
    <div class="identity-name">
      <strong>
        <Text text={name} charsMax={100} />
      </strong>
      {isDefault && <Badge tone="accent">default</Badge>}
      {from === 'file' && <Badge tone="neutral">file</Badge>}
    </div>
  );
}

function describeProofs({ secrets, certificates }: PrincipalReport): string {
  const proofs = [
    ...(secrets > 0 ? [formatCount(secrets, 'secret')] : []),
    ...(certificates > 0 ? [formatCount(certificates, 'certificate')] : []),
    'federated token',
  ];
  return proofs.join(', ');
}

function Roles({ roles }: Pick<PrincipalReport, 'roles'>): JSX.Element {
  if (roles === null) return <span class="muted">those of everybody</span>;
  if (roles.length === 0) return <span class="muted">none</span>;
  return (
    <ul class="identity-roles">
      {roles.map(({ role, account, table }, at) => (
        <li key={at}>
          <Text text={role} charsMax={100} />
          {account !== undefined && (
            <span class="muted">
              {' on '}
              <Text text={table === undefined ? account : `${account}/${table}`} charsMax={100} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

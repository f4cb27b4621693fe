import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { IdentityReport } from '../../control/identity/identity-actions.ts';
import { announce } from '../announce.ts';
import { ApiError, api } from '../client/api.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Empty, Loading } from '../components/empty.tsx';
import { ErrorBox } from '../components/error-box.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { GivenTokens } from './identity/given-tokens.tsx';
import { KeyTable } from './identity/key-table.tsx';
import { PrincipalTable } from './identity/principal-table.tsx';
import { TokenReader } from './identity/token-reader.tsx';

/** The issuer of tokens: its principals, its keys, and the tokens that it issued. */
export function IdentityPage(): JSX.Element {
  const [report, setReport] = useState<IdentityReport>();
  const [fault, setFault] = useState<unknown>();
  const [isRotating, setRotating] = useState(false);
  const load = useCallback(async (): Promise<void> => {
    try {
      setReport(await api<IdentityReport>('identity'));
      setFault(undefined);
    } catch (error) {
      setFault(error);
    }
  }, []);
  useEffect(() => void load(), [load]);
  const isOff = fault instanceof ApiError && fault.code === 'IdentityOff';
  return (
    <>
      <PageHeader
        title="Identity"
        description="Who gets access tokens from this emulator, and what the tokens say. Nothing leaves the machine."
      >
        {report && (
          <>
            <Button icon="key" onClick={() => setRotating(true)}>
              Rotate keys
            </Button>
            <Button icon="refresh" onClick={() => void load()}>
              Refresh
            </Button>
          </>
        )}
      </PageHeader>
      {isOff && <IssuerOff />}
      {fault !== undefined && !isOff && (
        <ErrorBox error={fault}>
          <Button onClick={() => void load()}>Try again</Button>
        </ErrorBox>
      )}
      {!report && fault === undefined && <Loading />}
      {report && (
        <>
          <PrincipalTable report={report} />
          <GivenTokens tokens={report.tokens} />
          <KeyTable keys={report.keys} />
        </>
      )}
      <TokenReader tenantId={report?.tenantId} kids={report?.keys.map(({ kid }) => kid) ?? []} />
      {isRotating && <RotateDialog onClose={() => setRotating(false)} onRotated={load} />}
    </>
  );
}

function IssuerOff(): JSX.Element {
  return (
    <Empty icon="key" title="This emulator gives no tokens">
      <p>
        Start it with <code>--identity</code>, and programs that use <code>DefaultAzureCredential</code> get their
        tokens here. A token can still be read below.
      </p>
    </Empty>
  );
}

interface RotateProps {
  readonly onClose: () => void;
  readonly onRotated: () => Promise<void>;
}

function RotateDialog({ onClose, onRotated }: RotateProps): JSX.Element {
  return (
    <Confirm
      title="Sign with a new key?"
      action="Rotate keys"
      onClose={onClose}
      onConfirm={async () => {
        await api('identity/keys', { method: 'POST' });
        announce('Tokens are signed with a new key.');
        await onRotated();
      }}
    >
      <p>Tokens issued before stay valid until they expire. Programs that keep the public keys fetch them again.</p>
    </Confirm>
  );
}

import type { JSX } from 'preact';
import { accountOr, emulator } from '../client/emulator.ts';
import { AccountSelect } from '../components/account-select.tsx';
import { CodeBlock } from '../components/code-block.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Tabs } from '../components/tabs.tsx';
import { navigate, type PageProps, replaceQuery } from '../router.ts';
import { connectionStringOf, endpointOf } from './connect/connection-string.ts';
import { programIn, programLanguages } from './connect/programs.ts';
import { SignatureBuilder } from './connect/signature-builder.tsx';

/** What a program needs to use this emulator. */
export function ConnectPage({ route }: PageProps): JSX.Element {
  const account = accountOr(route.path[0]);
  const language = programLanguages.find(({ name }) => name === route.query.get('language')) ?? programLanguages[0];
  const { text, isWhole } = connectionStringOf(account, emulator.value?.developmentAccounts ?? []);
  return (
    <>
      <PageHeader
        title="Connect"
        description="What a program needs to use this emulator in place of the Azure Table service."
      >
        <AccountSelect account={account} onSelect={(name) => navigate(['connect', name])} />
      </PageHeader>
      <section class="card">
        <div class="card-head">
          <h2>Connection string</h2>
          <span class="muted">
            account <strong>{account}</strong>
          </span>
        </div>
        <div class="card-body stack">
          <CodeBlock text={text} what="connection string" />
          {isWhole ? (
            <p class="muted">
              The key is the one that every Azure SDK knows for development; it protects nothing. Some tools read the
              variable <code>AZURE_STORAGE_CONNECTION_STRING</code>:{' '}
              <code>{'eval "$(tanzanite connection-string --export)"'}</code> sets it.
            </p>
          ) : (
            <p class="muted">
              The emulator does not reveal the key of this account: put it in place of the dots, or make a signature
              below.
            </p>
          )}
          <div class="field">
            <h3>Endpoint</h3>
            <CodeBlock text={endpointOf(account)} what="endpoint" />
          </div>
        </div>
      </section>
      <section class="card">
        <div class="card-head">
          <h2>First program</h2>
          <span class="muted">creates a table, writes an entity and queries it</span>
        </div>
        <div class="card-body">
          <Tabs
            label="Languages"
            tabs={programLanguages}
            selected={language.name}
            onSelect={(name) => replaceQuery({ language: name })}
          >
            <div class="stack">
              <CodeBlock text={language.install} what="command that installs the package" />
              <CodeBlock text={programIn(language.name, text)} what="program" />
            </div>
          </Tabs>
        </div>
      </section>
      <SignatureBuilder key={account} account={account} />
    </>
  );
}

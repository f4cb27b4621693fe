import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ShownEntity } from '../../client/edm.ts';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { entitySnippet, type SnippetLanguage, snippetLanguages } from '../../snippets/entity-snippets.ts';

export interface SnippetDialogProps {
  readonly account: string;
  readonly table: string;
  readonly entity: ShownEntity;
  readonly onClose: () => void;
}

/** An entity as code to copy. */
export function SnippetDialog({ account, table, entity, onClose }: SnippetDialogProps): JSX.Element {
  const [language, setLanguage] = useState<SnippetLanguage>('JSON');
  return (
    <Dialog title="Copy the entity" width="wide" onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      <Tabs
        label="Language"
        tabs={snippetLanguages.map((name) => ({ name, label: name }))}
        selected={language}
        onSelect={setLanguage}
      >
        <div class="snippet">
          <CodeBlock text={entitySnippet(language, { account, table, entity })} what={`${language} code`} />
        </div>
      </Tabs>
    </Dialog>
  );
}

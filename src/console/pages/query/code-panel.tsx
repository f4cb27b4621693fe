import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CodeBlock } from '../../components/code-block.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { type QueryLanguage, queryLanguages, querySnippet } from '../../snippets/query-snippets.ts';
import { type QueryText, selectedNames, topOf } from './query-text.ts';

/** The query as code to copy. */
export function CodePanel({ query }: { readonly query: QueryText }): JSX.Element {
  const [language, setLanguage] = useState<QueryLanguage>('C#');
  const { account, table, filter } = query;
  const snippet = { account, table, filter, select: selectedNames(query), top: topOf(query) };
  return (
    <div class="code-panel">
      <Tabs
        label="Language"
        tabs={queryLanguages.map((name) => ({ name, label: name }))}
        selected={language}
        onSelect={setLanguage}
      >
        <CodeBlock text={querySnippet(language, snippet)} what={`${language} code`} />
      </Tabs>
    </div>
  );
}

// The Markdown of the advisor's own pages: paragraphs, fences, tables, code and strong words. Other text is shown as it is.

import type { JSX } from 'preact';
import { CodeBlock } from '../../components/code-block.tsx';
import { Prose } from '../../components/prose.tsx';

export function Markdown({ text }: { readonly text: string }): JSX.Element {
  return <div class="markdown">{blocksOf(text).map((block) => renderBlock(block))}</div>;
}

/** Empty lines separate blocks. A fenced block includes the empty lines inside it. */
const blocksOf = (text: string): string[] =>
  [...text.matchAll(/```[^\n]*\n.*?```|(?:[^\n]+\n?)+/gs)].map(([block]) => block.trim());

function renderBlock(block: string): JSX.Element {
  const code = /^```[^\n]*\n(.*?)\n?```$/s.exec(block)?.[1];
  if (code !== undefined) return <CodeBlock key={block} text={code} what="example" />;
  if (block.startsWith('|')) return <Table key={block} lines={block.split('\n')} />;
  if (block.startsWith('## ')) return <h3 key={block}>{block.slice(3)}</h3>;
  return (
    <p key={block}>
      <Prose text={block.replaceAll('\n', ' ')} />
    </p>
  );
}

function Table({ lines }: { readonly lines: readonly string[] }): JSX.Element {
  const [head = [], , ...rows] = lines.map((line) => line.replace(/^\|\s*|\s*\|$/g, '').split(/\s*(?<!\\)\|\s*/));
  return (
    <table class="data-table">
      <thead>
        <tr>
          {head.map((cell) => (
            <th key={cell} scope="col">
              <Prose text={cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells) => (
          <tr key={cells.join()}>
            {cells.map((cell) => (
              <td key={cell}>
                <Prose text={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

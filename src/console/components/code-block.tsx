import type { JSX } from 'preact';
import { CopyButton } from './copy-button.tsx';

export interface CodeBlockProps {
  readonly text: string;
  /** What the text is, for the label of the copy button: `connection string`. */
  readonly what: string;
}

/** A block of text, with a button that copies it. */
export function CodeBlock({ text, what }: CodeBlockProps): JSX.Element {
  return (
    <div class="code-block">
      <pre>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}

import type { JSX } from 'preact';
import { CopyButton } from './copy-button.tsx';

export interface CodeBlockProps {
  readonly text: string;
  /** What it is, for the button that copies it: `connection string`. */
  readonly what: string;
}

/** Text to copy. */
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

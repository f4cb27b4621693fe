import type { JSX } from 'preact';
import { Text } from './text.tsx';

const charsMax = 4_000;

/** A sentence from the emulator: code is in backticks, strong words in double asterisks. Keys and values use `Text`. */
export function Prose({ text }: { readonly text: string }): JSX.Element {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).filter((part) => part !== '');
  return (
    <>
      {parts.map((part, at) => {
        if (/^`.+`$/.test(part)) {
          return (
            <code key={at}>
              <Text text={part.slice(1, -1)} charsMax={charsMax} />
            </code>
          );
        }
        if (!/^\*\*.+\*\*$/.test(part)) return <Text key={at} text={part} charsMax={charsMax} />;
        return (
          <strong key={at}>
            <Text text={part.slice(2, -2)} charsMax={charsMax} />
          </strong>
        );
      })}
    </>
  );
}

import type { JSX } from 'preact';
import { formatNumber, visibleParts } from '../format.ts';

export interface TextProps {
  /** Text from outside: a key, a value, a name, an address. */
  readonly text: string;
  /** Maximum number of characters shown. The number of the others is shown after them. */
  readonly charsMax?: number;
}

/**
 * Text from outside, isolated from the direction of the text around it. Invisible characters, and characters that would
 * reverse the text, are shown as escapes. Use it for every key, name and value.
 */
export function Text({ text, charsMax = 400 }: TextProps): JSX.Element {
  if (text === '') return <span class="empty-value">empty</span>;
  const left = text.length - charsMax;
  const parts = visibleParts(left > 0 ? text.slice(0, charsMax) : text);
  return (
    <bdi class="text">
      {parts.map(({ text: part, isEscape }, at) =>
        isEscape ? (
          <span key={at} class="escape">
            {part}
          </span>
        ) : (
          part
        ),
      )}
      {left > 0 && <span class="cut"> … {formatNumber(left)} more characters</span>}
    </bdi>
  );
}

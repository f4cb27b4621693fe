import type { JSX } from 'preact';
import { Text } from '../../components/text.tsx';

const keyCharsMax = 60;

/** A partition, or a range of them. */
export function RangeName({ from, to }: { readonly from: string; readonly to: string }): JSX.Element {
  if (from === to) return <Text text={from} charsMax={keyCharsMax} />;
  return (
    <>
      <Text text={from} charsMax={keyCharsMax} /> <span class="muted">to</span>{' '}
      <Text text={to} charsMax={keyCharsMax} />
    </>
  );
}

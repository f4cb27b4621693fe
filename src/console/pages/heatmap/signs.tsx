import type { JSX } from 'preact';
import type { HeatSign } from '../../../control/observe/heat-signs.ts';
import { Icon } from '../../components/icon.tsx';
import { Text } from '../../components/text.tsx';
import { formatPercent } from '../../format.ts';
import { hrefOf } from '../../router.ts';

/** What the map shows that a design should avoid. */
export function Signs({ signs }: { readonly signs: readonly HeatSign[] }): JSX.Element | null {
  if (signs.length === 0) return null;
  return (
    <ul class="heat-signs">
      {signs.map((sign, at) => (
        <li key={at}>
          <Icon name="warning" size={16} />
          <p>
            <SignText sign={sign} /> <a href={hrefOf(['advisor'])}>Advisor</a>
          </p>
        </li>
      ))}
    </ul>
  );
}

function SignText({ sign }: { readonly sign: HeatSign }): JSX.Element {
  switch (sign.kind) {
    case 'hot partition':
      return (
        <>
          <strong>Hot partition:</strong> <Text text={sign.partitionKey} charsMax={60} /> gets{' '}
          {formatPercent(sign.share)} of the requests. A partition is served by a single server of the service.
        </>
      );
    case 'lone partition':
      return (
        <>
          <strong>Lone partition:</strong> all requests go to <Text text={sign.partitionKey} charsMax={60} />, so the
          scalability target of one partition limits the whole table.
        </>
      );
    case 'append-only':
      return (
        <>
          <strong>Append-only:</strong> new keys come after all others, so the last range of the table gets the load.
          That range cannot be split before the load arrives.
        </>
      );
    case 'prepend-only':
      return (
        <>
          <strong>Prepend-only:</strong> new keys come before all others, so the first range of the table gets the load.
          That range cannot be split before the load arrives.
        </>
      );
  }
}

import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { clock, faultRules, isClockTurned, watchStaged } from '../client/staged.ts';
import { Icon } from '../components/icon.tsx';
import { formatCount, formatMoment, formatSpan } from '../format.ts';
import { hrefOf } from '../router.ts';

/** Says on every page that faults are staged, or that the clock is turned. */
export function StagedBanner(): JSX.Element | null {
  useEffect(watchStaged, []);
  const texts = [rulesText(), clockText()].filter((text) => text !== undefined);
  if (texts.length === 0) return null;
  return (
    <aside class="staged-banner" aria-label="Staged">
      <Icon name="warning" size={16} />
      <p>
        {texts.join(' ')} <a href={hrefOf(['faults'])}>Faults and clock</a>
      </p>
    </aside>
  );
}

function rulesText(): string | undefined {
  const rules = faultRules.value ?? [];
  if (rules.length === 0) return undefined;
  const hits = rules.reduce((sum, rule) => sum + rule.hits, 0);
  return `${formatCount(rules.length, 'fault')} in force, ${formatCount(hits, 'request')} struck so far.`;
}

function clockText(): string | undefined {
  const known = clock.value;
  if (!known || !isClockTurned(known)) return undefined;
  if (known.isFrozen) return `The clock is frozen at ${formatMoment(known.now)}.`;
  return `The clock is ${formatSpan(Math.abs(known.offsetMs))} ${known.offsetMs > 0 ? 'ahead' : 'behind'}.`;
}

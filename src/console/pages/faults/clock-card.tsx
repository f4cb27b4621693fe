import type { JSX } from 'preact';
import { useEffect, useReducer, useState } from 'preact/hooks';
import { announce, announceFailure } from '../../announce.ts';
import { type ClockTurn, clock, isClockTurned, type KnownClock, turnClock } from '../../client/staged.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Loading } from '../../components/empty.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { formatMoment, formatSpan } from '../../format.ts';

/** The time of the service, and controls to change it. */
export function ClockCard(): JSX.Element {
  const known = clock.value;
  return (
    <section class="card" aria-label="Clock">
      <div class="card-head">
        <h2>Clock</h2>
        {known && <StateBadge known={known} />}
      </div>
      <div class="card-body stack">
        {known ? (
          <>
            <Face known={known} />
            <ClockButtons known={known} />
            <ClockForms />
          </>
        ) : (
          <Loading what="Asking for the time" />
        )}
        <p class="muted">
          Timestamps, signatures, policies, deleted names and capacity use this time. The date that a client signs is
          compared with the machine's clock, so that every SDK keeps working.
        </p>
      </div>
    </section>
  );
}

function StateBadge({ known }: { readonly known: KnownClock }): JSX.Element {
  const { isFrozen, offsetMs } = known;
  if (!isClockTurned(known)) return <Badge tone="good">as the machine's</Badge>;
  // The difference from the machine's clock changes all the time while the clock is frozen, so it is not shown.
  if (isFrozen) return <Badge tone="warning">frozen</Badge>;
  return (
    <Badge tone="warning">
      {formatSpan(Math.abs(offsetMs))} {offsetMs > 0 ? 'ahead' : 'behind'}
    </Badge>
  );
}

const tickMs = 500;

/** Shows the time, and advances it by itself between two answers of the emulator. */
function Face({ known: { now, isFrozen, receivedMs } }: { readonly known: KnownClock }): JSX.Element {
  const [, tick] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    if (isFrozen) return;
    const timer = setInterval(() => tick(undefined), tickMs);
    return () => clearInterval(timer);
  }, [isFrozen]);
  const nowMs = Date.parse(now) + (isFrozen ? 0 : performance.now() - receivedMs);
  return (
    <div class="clock-face">
      <p class="clock-time">{formatMoment(nowMs)}</p>
      <p class="muted mono">{new Date(nowMs).toISOString()}</p>
    </div>
  );
}

/** Changes the clock and announces the change in these words. */
async function turnAnd(turn: ClockTurn, words: string): Promise<void> {
  try {
    await turnClock(turn);
    announce(words);
  } catch (error) {
    announceFailure(error);
  }
}

const steps = [
  { ms: 60_000, label: 'a minute' },
  { ms: 3_600_000, label: 'an hour' },
  { ms: 86_400_000, label: 'a day' },
] as const;

function ClockButtons({ known }: { readonly known: KnownClock }): JSX.Element {
  const { isFrozen } = known;
  return (
    <div class="toolbar">
      <Button
        icon={isFrozen ? 'play' : 'pause'}
        onClick={() => void turnAnd({ freeze: !isFrozen }, isFrozen ? 'The clock runs' : 'The clock is frozen')}
      >
        {isFrozen ? 'Let it run' : 'Freeze'}
      </Button>
      {steps.map(({ ms, label }) => (
        <Button key={label} onClick={() => void turnAnd({ advanceMs: ms }, `The clock was advanced by ${label}`)}>
          Advance {label}
        </Button>
      ))}
      <Button
        icon="restore"
        isDisabled={!isClockTurned(known)}
        onClick={() => void turnAnd('release', "The clock is the machine's again")}
      >
        Put it back
      </Button>
    </div>
  );
}

const units = [
  { value: '1', label: 'milliseconds' },
  { value: '1000', label: 'seconds' },
  { value: '60000', label: 'minutes' },
  { value: '3600000', label: 'hours' },
  { value: '86400000', label: 'days' },
] as const;

function ClockForms(): JSX.Element {
  const [count, setCount] = useState('20');
  const [unit, setUnit] = useState<string>('60000');
  const [moment, setMoment] = useState('');
  const ms = Number(count) * Number(unit);
  const submit = (turn: ClockTurn, words: string) => (event: Event) => {
    event.preventDefault();
    void turnAnd(turn, words);
  };
  return (
    <div class="clock-forms">
      <form onSubmit={submit({ advanceMs: ms }, `The clock was advanced by ${formatSpan(ms)}`)}>
        <TextField label="Advance by" type="number" min={0} value={count} onInput={setCount} />
        <SelectField label="Unit" value={unit} onInput={setUnit} options={units} />
        <Button type="submit" isDisabled={!(ms > 0)}>
          Advance
        </Button>
      </form>
      <form onSubmit={submit({ now: moment.trim() }, `The clock is set to ${moment.trim()}`)}>
        <TextField
          label="Set to"
          isMono
          placeholder="2030-01-31T12:00:00Z"
          value={moment}
          onInput={setMoment}
          hint="ISO 8601; without a zone it is UTC. An earlier time turns the clock back."
        />
        <Button type="submit" isDisabled={moment.trim() === ''}>
          Set
        </Button>
      </form>
    </div>
  );
}

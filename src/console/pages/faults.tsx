import type { JSX } from 'preact';
import { loadStaged, stagedFault } from '../client/staged.ts';
import { Button } from '../components/button.tsx';
import { ErrorBox } from '../components/error-box.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { ClockCard } from './faults/clock-card.tsx';
import { RulesCard } from './faults/rules-card.tsx';

/** What goes wrong on purpose, and which time the service goes by. */
export function FaultsPage(): JSX.Element {
  return (
    <>
      <PageHeader
        title="Faults and clock"
        description="Let the service fail, stall and travel in time as production does, and see what your program makes of it."
      />
      {stagedFault.value !== undefined && (
        <ErrorBox error={stagedFault.value}>
          <Button onClick={() => void loadStaged()}>Try again</Button>
        </ErrorBox>
      )}
      <ClockCard />
      <RulesCard />
    </>
  );
}

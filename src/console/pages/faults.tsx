import type { JSX } from 'preact';
import { loadStaged, stagedFault } from '../client/staged.ts';
import { Button } from '../components/button.tsx';
import { ErrorBox } from '../components/error-box.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { ClockCard } from './faults/clock-card.tsx';
import { RulesCard } from './faults/rules-card.tsx';

/** Staged faults, and the clock of the service. */
export function FaultsPage(): JSX.Element {
  return (
    <>
      <PageHeader
        title="Faults and clock"
        description="Make the service fail or stall as production does, change its clock, and see how your program reacts."
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

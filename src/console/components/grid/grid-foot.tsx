import type { ComponentChildren, JSX } from 'preact';
import { formatCount } from '../../format.ts';
import { Button } from '../button.tsx';
import { ErrorBox } from '../error-box.tsx';
import { type EntityPages, gridRowsMax } from './entity-pages.ts';

export interface GridFootProps {
  readonly pages: EntityPages;
  readonly children?: ComponentChildren;
}

/** How much of the table is shown, and how to continue if it stops. */
export function GridFoot({ pages, children }: GridFootProps): JSX.Element {
  const { rows, isComplete, isLoading, isPaused, fault, pagesRead } = pages.state.value;
  const resume = (): void => pages.resume();
  const isRefused = fault !== undefined && rows === 0;
  return (
    <div class="grid-foot">
      {fault !== undefined && (
        <ErrorBox error={fault}>
          <Button onClick={resume}>Try again</Button>
        </ErrorBox>
      )}
      {!isRefused && (
        <p role="status">
          {isLoading && <span class="spinner" aria-hidden="true" />}
          {formatCount(rows, 'entity', 'entities')}
          {isComplete ? '' : rows >= gridRowsMax ? ', and more: a filter shows others' : ' so far, more follow'}
          {isPaused && `; ${formatCount(pagesRead, 'page')} read, most of them without a match`}
        </p>
      )}
      {isPaused && <Button onClick={resume}>Search on</Button>}
      {rows > 0 && <p class="muted">In the order of PartitionKey and RowKey, the only order that the service has.</p>}
      {children}
    </div>
  );
}

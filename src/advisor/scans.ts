// Functions for the rules about queries that visit more entities than they return.

import type { Evidence } from './report.ts';
import { requestText } from './show-request.ts';
import type { Enumeration, Window } from './window.ts';

/**
 * Returns the queries that visit more than `visited` entities and return less than `wantedShare` of these entities.
 * Leaves out queries that have only key bounds, because a scan that returns every entity of its range is justified.
 */
export function wastefulScans(
  { enumerations }: Window,
  { visited, wantedShare = 1 }: { readonly visited: number; readonly wantedShare?: number },
): readonly Enumeration[] {
  return enumerations.filter(
    (scan) =>
      scan.visited > visited &&
      scan.first.traits.plan.residual !== undefined &&
      scan.returned < scan.visited * wantedShare,
  );
}

export function scanEvidence({ first, visited, returned, pages }: Enumeration): Evidence {
  const { filter = '', plan } = first.traits;
  const { userAgent } = first.by.client;
  return { filter, plan: plan.kind, visited, returned, pages, userAgent, request: requestText(first.by) };
}

/** The extra cost of a scan, compared with a query that visits only what it returns. */
export const scanCost = ({ visited, returned, pages }: Enumeration) => ({
  visited: visited - returned,
  roundTrips: pages - 1,
  transactions: pages - 1,
});

export const hasQueries = ({ queries }: Window): boolean => queries.length > 0;
export const hasReads = ({ queries, gets }: Window): boolean => queries.length > 0 || gets.length > 0;
export const hasWrites = ({ written }: Window): boolean => written.length > 0;

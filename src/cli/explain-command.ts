import { ServiceError } from '../model/service-error.ts';
import { type Plan, planQuery } from '../query/plan.ts';
import { planAdvice } from '../query/plan-advice.ts';
import { createFilterReader } from '../query/read-filter.ts';
import { type PlanText, planText } from '../query/report.ts';
import type { ControlAddress } from './ask-emulator.ts';
import { askForPage, type PageFigures, type PageWish } from './ask-for-page.ts';
import { UnusableOption } from './unusable-option.ts';

export interface ExplainOptions {
  readonly filter: string;
  readonly isJson: boolean;
  /** The page that an emulator is asked to read; both or neither. */
  readonly page?: PageWish;
  readonly emulator?: ControlAddress;
}

/** Prints the plan of a filter. Throws UnusableOption for one that the service refuses, NoAnswer. */
export async function explainCommand({ filter, isJson, page, emulator }: ExplainOptions): Promise<void> {
  const plan = planOf(filter);
  const figures = page && emulator ? await askForPage({ filter, ...page }, emulator) : undefined;
  const advice = figures ? figures.advice : planAdvice(plan);
  const text = isJson
    ? JSON.stringify({ ...planText(plan), ...figures, advice: advice ?? null }, undefined, 2)
    : describeForPerson(planText(plan), { advice, figures });
  process.stdout.write(`${text}\n`);
}

function planOf(filter: string): Plan {
  try {
    return planQuery(createFilterReader().readFilter(filter));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new UnusableOption(`the service refuses this filter: ${error.status} ${error.code}: ${error.message}`);
  }
}

interface Remarks {
  readonly advice: string | undefined;
  readonly figures: PageFigures | undefined;
}

function describeForPerson({ reason, bounds, residual }: PlanText, { advice, figures }: Remarks): string {
  const lines: [label: string, text: string][] = [];
  if (bounds.length > 0) lines.push(['bounds', bounds.join(' · ')]);
  if (residual !== null) lines.push(['filter', `${residual}   (on each entity visited)`]);
  if (figures) lines.push(['page', describePage(figures)]);
  if (advice !== undefined) lines.push(['advice', advice]);
  return [reason, ...lines.map(([label, text]) => `  ${label.padEnd(9)} ${text}`)].join('\n');
}

/** The sentence without the plan that begins it: that stands above. */
function describePage({ sentence, visited, returned, end }: PageFigures): string {
  const effort = /; (\S+ (?:entity|entities) visited for .*)$/.exec(sentence)?.[1];
  return effort ?? `${visited} visited for ${returned} returned; ended by ${end}`;
}

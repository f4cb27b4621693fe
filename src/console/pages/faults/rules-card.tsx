import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Failure, failures } from '../../../faults/failures.ts';
import type { FaultRule, FaultRuleReport } from '../../../faults/fault-rule.ts';
import { announce, announceFailure } from '../../announce.ts';
import { addRules, faultRules, removeRules } from '../../client/staged.ts';
import { Button } from '../../components/button.tsx';
import { Empty, Loading } from '../../components/empty.tsx';
import { FaultRuleDialog } from './fault-rule-dialog.tsx';
import { keepOff, offRules } from './off-rules.ts';
import { newDraft, type RuleDraft, ruleDraftOf } from './rule-draft.ts';
import { type ListedRule, RuleTable } from './rule-table.tsx';

/** A new rule, or a change to a listed one. */
interface Open {
  readonly draft: RuleDraft;
  readonly replaced?: ListedRule;
}

/** The rules in force, the rules that are switched off, and the failures to choose from. */
export function RulesCard(): JSX.Element {
  const [open, setOpen] = useState<Open>();
  const rules = faultRules.value;
  const listed: readonly ListedRule[] = [
    ...(rules ?? []).map((report) => ({ rule: ruleIn(report), report })),
    ...offRules.value.map((rule) => ({ rule, report: undefined })),
  ];
  return (
    <>
      <section class="card" aria-label="Faults">
        <div class="card-head">
          <h2>Faults</h2>
          <div class="toolbar">
            <Button
              icon="trash"
              isDisabled={listed.length === 0}
              onClick={() => run(removeAll, 'All rules are removed')}
            >
              Remove all
            </Button>
            <Button icon="plus" kind="primary" onClick={() => setOpen({ draft: newDraft })}>
              Add a rule
            </Button>
          </div>
        </div>
        {rules === undefined && <Loading what="Reading the rules" />}
        {rules !== undefined && listed.length === 0 && (
          <Empty icon="check" title="Nothing goes wrong on purpose">
            <p>Choose a failure from below, or write a rule.</p>
          </Empty>
        )}
        {listed.length > 0 && (
          <RuleTable
            rules={listed}
            onSwitch={(one) => run(() => switchRule(one))}
            onRemove={(one) => run(() => remove(one), `Rule ${nameOf(one.rule)} removed`)}
            onEdit={(one) => setOpen({ draft: ruleDraftOf(one.rule), replaced: one })}
          />
        )}
      </section>
      <FailureList
        onAdd={({ name, rule }) => run(() => addRules([rule]), `Fault ${name} is in force`)}
        onOpen={({ rule }) => setOpen({ draft: ruleDraftOf(rule) })}
      />
      {open && (
        <FaultRuleDialog
          draft={open.draft}
          isNew={open.replaced === undefined}
          onClose={() => setOpen(undefined)}
          onSave={async (rule) => {
            await addRules([rule]);
            if (open.replaced) await remove(open.replaced);
            announce(`Rule ${nameOf(rule)} is in force`);
          }}
        />
      )}
    </>
  );
}

const nameOf = ({ name, fault }: FaultRule): string => name ?? fault.kind;

const ruleIn = ({ id: _id, hits: _hits, matched: _matched, ...rule }: FaultRuleReport): FaultRule => rule;

function run(act: () => Promise<void>, words?: string): void {
  act().then(() => {
    if (words !== undefined) announce(words);
  }, announceFailure);
}

async function removeAll(): Promise<void> {
  await removeRules();
  keepOff([]);
}

async function remove({ rule, report }: ListedRule): Promise<void> {
  if (report) await removeRules(report.id);
  else keepOff(offRules.value.filter((one) => one !== rule));
}

async function switchRule(listed: ListedRule): Promise<void> {
  const { rule, report } = listed;
  if (report) {
    await removeRules(report.id);
    keepOff([...offRules.value, rule]);
    return;
  }
  await addRules([rule]);
  await remove(listed);
}

interface FailureListProps {
  readonly onAdd: (failure: Failure) => void;
  readonly onOpen: (failure: Failure) => void;
}

function FailureList({ onAdd, onOpen }: FailureListProps): JSX.Element {
  return (
    <section class="card" aria-label="Failures">
      <div class="card-head">
        <h2>What production does to programs</h2>
        <span class="muted">each as a rule for all accounts and tables</span>
      </div>
      <ul class="failure-list">
        {failures.map((failure) => (
          <li key={failure.name}>
            <div>
              <code>{failure.name}</code>
              <p>{failure.text}</p>
            </div>
            <div class="toolbar">
              <Button onClick={() => onAdd(failure)}>
                Add<span class="visually-hidden"> {failure.name}</span>
              </Button>
              <Button kind="quiet" onClick={() => onOpen(failure)}>
                Change…<span class="visually-hidden"> {failure.name}</span>
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

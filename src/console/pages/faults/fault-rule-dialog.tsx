import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { FaultKind, FaultMatch, FaultRule } from '../../../faults/fault-rule.ts';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { visibleText } from '../../format.ts';
import { type FaultField, kindForms } from './fault-fields.ts';
import { Preview } from './preview.tsx';
import { type DraftResult, faultRuleOf, type RuleDraft, type WhenKind } from './rule-draft.ts';
import { matchLabels } from './rule-text.ts';

export interface FaultRuleDialogProps {
  readonly draft: RuleDraft;
  readonly isNew: boolean;
  readonly onClose: () => void;
  /** If it throws, the dialog shows the error and stays open. */
  readonly onSave: (rule: FaultRule) => Promise<void>;
}

interface PartProps {
  readonly draft: RuleDraft;
  readonly onChange: (changed: Partial<RuleDraft>) => void;
  /** What is wrong with a member of the rule. */
  readonly faultOf: (field: string) => string | undefined;
}

/** A rule as a form, with what it would do. */
export function FaultRuleDialog({ draft: first, isNew, onClose, onSave }: FaultRuleDialogProps): JSX.Element {
  const [draft, setDraft] = useState(first);
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const result = faultRuleOf(draft);
  const rule = 'rule' in result ? result.rule : undefined;
  const save = async (): Promise<void> => {
    if (rule === undefined || isBusy) return;
    setBusy(true);
    try {
      await onSave(rule);
      onClose();
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  const part: PartProps = {
    draft,
    onChange: (changed) => setDraft({ ...draft, ...changed }),
    faultOf: (field) => faultAt(result, field),
  };
  return (
    <Dialog
      title={isNew ? 'Add a rule' : 'Change the rule'}
      width="wide"
      onClose={onClose}
      onSubmit={() => void save()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isDisabled={rule === undefined || isBusy}>
            {isNew ? 'Add' : 'Change'}
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        isFocused
        value={draft.name}
        onInput={(name) => part.onChange({ name })}
        fault={part.faultOf('name')}
        hint="The log, Traffic and the header x-emulator-fault show it."
      />
      <FaultPart {...part} />
      <WhenPart {...part} />
      <MatchPart {...part} />
      {'fault' in result && !isShown(result.field, draft) && <OtherFault result={result} />}
      {rule && (
        <section class="stack">
          <h3>What it would strike</h3>
          <Preview rule={rule} />
        </section>
      )}
      {rule && (
        <details>
          <summary>As JSON</summary>
          <CodeBlock text={visibleText(JSON.stringify(rule))} what="rule as JSON" />
        </details>
      )}
      {failure !== undefined && <ErrorBox error={failure} />}
    </Dialog>
  );
}

const faultAt = (result: DraftResult, field: string): string | undefined =>
  'fault' in result && result.field === field ? result.fault : undefined;

/** Whether the form has a field for a member of the rule. */
function isShown(field: string, { kind, when }: RuleDraft): boolean {
  const members = Object.keys(matchLabels).map((name) => `match.${name}`);
  const faults = kindForms[kind].fields.map(({ name }) => `fault.${name}`);
  return ['name', 'times', 'fault.kind', `when.${when}`, ...members, ...faults].includes(field);
}

/** A fault of the draft that belongs to none of the fields. */
function OtherFault({ result }: { readonly result: Extract<DraftResult, { readonly fault: string }> }) {
  return (
    <p class="fault" role="status">
      <bdi>
        {result.field === '' ? '' : `${result.field}: `}
        {visibleText(result.fault)}
      </bdi>
    </p>
  );
}

function FaultPart({ draft, onChange, faultOf }: PartProps): JSX.Element {
  const { kind, fault } = draft;
  const set = (name: string, value: string): void => onChange({ fault: { ...fault, [name]: value } });
  return (
    <fieldset class="fault-fields">
      <legend class="label">What happens</legend>
      <SelectField
        label="Kind"
        value={kind}
        onInput={(next) => onChange({ kind: next as FaultKind, fault: kindForms[next as FaultKind].values })}
        options={Object.entries(kindForms).map(([value, { label }]) => ({ value, label }))}
        fault={faultOf('fault.kind')}
      />
      {kindForms[kind].fields.map((field) => (
        <FaultInput
          key={`${kind}.${field.name}`}
          field={field}
          value={fault[field.name] ?? ''}
          onInput={(value) => set(field.name, value)}
          fault={faultOf(`fault.${field.name}`)}
        />
      ))}
    </fieldset>
  );
}

interface FaultInputProps {
  readonly field: FaultField;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly fault: string | undefined;
}

function FaultInput({ field: { label, hint, options }, value, onInput, fault }: FaultInputProps): JSX.Element {
  const shared = { label, hint, value, onInput, fault };
  return options ? <SelectField {...shared} options={options} /> : <TextField {...shared} type="number" min={0} />;
}

const whenOptions: readonly { readonly value: WhenKind; readonly label: string; readonly count: string }[] = [
  { value: 'each', label: 'Each matching request', count: '' },
  { value: 'first', label: 'The first', count: '1' },
  { value: 'nth', label: 'Only number', count: '1' },
  { value: 'every', label: 'Every', count: '5' },
  { value: 'probability', label: 'With the probability', count: '0.1' },
];

function WhenPart({ draft, onChange, faultOf }: PartProps): JSX.Element {
  const { when, count, times } = draft;
  return (
    <fieldset class="fault-fields">
      <legend class="label">Which of the matching requests it strikes</legend>
      <SelectField
        label="Choice"
        value={when}
        onInput={(next) => {
          const option = whenOptions.find(({ value }) => value === next);
          onChange({ when: next as WhenKind, count: option?.count ?? '' });
        }}
        options={whenOptions}
      />
      {when !== 'each' && (
        <TextField
          label={when === 'probability' ? 'Probability, 0 to 1' : 'Number'}
          value={count}
          onInput={(text) => onChange({ count: text })}
          fault={faultOf(`when.${when}`)}
        />
      )}
      <TextField
        label="How often at most"
        placeholder="no limit"
        value={times}
        onInput={(text) => onChange({ times: text })}
        fault={faultOf('times')}
      />
    </fieldset>
  );
}

function MatchPart({ draft: { match }, onChange, faultOf }: PartProps): JSX.Element {
  return (
    <fieldset class="fault-fields">
      <legend class="label">Which requests match</legend>
      {(Object.keys(matchLabels) as (keyof FaultMatch)[]).map((member) => (
        <TextField
          key={member}
          label={matchLabels[member]}
          isMono
          placeholder="any"
          value={match[member]}
          onInput={(text) => onChange({ match: { ...match, [member]: text } })}
          fault={faultOf(`match.${member}`)}
        />
      ))}
      <p class="hint">
        A <code>*</code> stands for any text. Operations are named as in Traffic; credentials are <code>key</code>,{' '}
        <code>accountSas</code>, <code>tableSas</code> and <code>bearer</code>.
      </p>
    </fieldset>
  );
}

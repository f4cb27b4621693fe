import type { JSX } from 'preact';
import type { FaultMatch, FaultRule, FaultRuleReport } from '../../../faults/fault-rule.ts';
import { IconButton } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Text } from '../../components/text.tsx';
import { formatNumber, visibleText } from '../../format.ts';
import { faultText, matchLabels, whenText } from './rule-text.ts';

export interface ListedRule {
  readonly rule: FaultRule;
  /** Undefined while it is switched off. */
  readonly report: FaultRuleReport | undefined;
}

export interface RuleTableProps {
  readonly rules: readonly ListedRule[];
  readonly onSwitch: (rule: ListedRule) => void;
  readonly onEdit: (rule: ListedRule) => void;
  readonly onRemove: (rule: ListedRule) => void;
}

/** The rules in the order in which they are tried: only the first rule that fits a request strikes it. */
export function RuleTable({ rules, onSwitch, onEdit, onRemove }: RuleTableProps): JSX.Element {
  const keys = new Map(rules.map((one, at) => [one, one.report?.id ?? `off-${at}`]));
  return (
    <DataTable<ListedRule>
      caption="Rules"
      rows={rules}
      keyOf={(one) => keys.get(one) ?? ''}
      columns={[
        {
          name: 'On',
          cell: (one) => (
            <input
              type="checkbox"
              class="switch"
              aria-label={`${visibleText(titleOf(one.rule))} in force`}
              checked={one.report !== undefined}
              onClick={(event) => {
                // The box is ticked only when the emulator has the rule.
                event.preventDefault();
                onSwitch(one);
              }}
            />
          ),
        },
        { name: 'Rule', cell: ({ rule }) => <Named rule={rule} /> },
        { name: 'What happens', cell: ({ rule }) => faultText(rule.fault) },
        { name: 'To which', cell: ({ rule }) => whenText(rule) },
        { name: 'Matched', isNumber: true, cell: ({ report }) => figure(report?.matched) },
        { name: 'Struck', isNumber: true, cell: ({ report }) => figure(report?.hits) },
        {
          name: 'Actions',
          isHeaderHidden: true,
          isNumber: true,
          cell: (one) => (
            <div class="row-actions">
              <IconButton icon="edit" label={`Change ${visibleText(titleOf(one.rule))}`} onClick={() => onEdit(one)} />
              <IconButton
                icon="trash"
                label={`Remove ${visibleText(titleOf(one.rule))}`}
                onClick={() => onRemove(one)}
              />
            </div>
          ),
        },
      ]}
    />
  );
}

const titleOf = ({ name, fault }: FaultRule): string => name ?? faultText(fault);

const figure = (value: number | undefined): string => (value === undefined ? '–' : formatNumber(value));

function Named({ rule: { name, match = {} } }: { readonly rule: FaultRule }): JSX.Element {
  const patterns = Object.entries(match) as [keyof FaultMatch, string][];
  return (
    <div class="fault-name">
      <strong>{name === undefined ? 'Without a name' : <Text text={name} />}</strong>
      {patterns.length === 0 && <span class="muted">any request</span>}
      {patterns.map(([member, pattern]) => (
        <span key={member} class="muted">
          {matchLabels[member]} <Text text={pattern} charsMax={60} />
        </span>
      ))}
    </div>
  );
}

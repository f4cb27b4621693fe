import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SignedIdentifier } from '../../../model/access-policy.ts';
import { announce } from '../../announce.ts';
import { getTablePolicies, setTablePolicies } from '../../client/table-client.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Loading } from '../../components/empty.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { CheckField, TextField } from '../../components/field.tsx';

/** Limit: Set Table ACL. */
const policiesMax = 5;
const idCharsMax = 64;
const permissions = [
  ['r', 'Read'],
  ['a', 'Add'],
  ['u', 'Update'],
  ['d', 'Delete'],
] as const;

export interface PoliciesDialogProps {
  readonly account: string;
  readonly table: string;
  readonly onClose: () => void;
}

/** The stored access policies of a table, which shared access signatures name. */
export function PoliciesDialog({ account, table, onClose }: PoliciesDialogProps): JSX.Element {
  const [policies, setPolicies] = useState<readonly SignedIdentifier[]>();
  const [fault, setFault] = useState<unknown>();
  useEffect(() => {
    getTablePolicies(account, table).then(setPolicies, setFault);
  }, [account, table]);
  const save = async (): Promise<void> => {
    if (!policies) return;
    try {
      await setTablePolicies(account, table, policies);
      announce('Access policies saved');
      onClose();
    } catch (error) {
      setFault(error);
    }
  };
  const isWrong = policies?.some((policy, at) => idFault(policy.id, policies.toSpliced(at, 1)) !== undefined);
  return (
    <Dialog
      title={`Access policies of ${table}`}
      width="wide"
      onClose={onClose}
      onSubmit={() => void save()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isDisabled={isWrong !== false}>
            Save
          </Button>
        </>
      }
    >
      <p class="muted">
        A shared access signature that names a policy gets its times and permissions from it; changing or removing the
        policy changes or revokes all such signatures. A table has at most {policiesMax}.
      </p>
      {!policies && fault === undefined && <Loading what="Reading the policies" />}
      {policies && <PolicyList policies={policies} onChange={setPolicies} />}
      {fault !== undefined && <ErrorBox error={fault} />}
    </Dialog>
  );
}

function idFault(id: string, others: readonly SignedIdentifier[]): string | undefined {
  if (id === '') return 'A policy has an identifier.';
  if (id.length > idCharsMax) return `At most ${idCharsMax} characters.`;
  return others.some((other) => other.id === id) ? 'Another policy has this identifier.' : undefined;
}

interface PolicyListProps {
  readonly policies: readonly SignedIdentifier[];
  readonly onChange: (policies: readonly SignedIdentifier[]) => void;
}

function PolicyList({ policies, onChange }: PolicyListProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const added = useRef(false);
  // Runs before the browser draws, so that the first letter of an identifier is not lost.
  useLayoutEffect(() => {
    if (!added.current) return;
    added.current = false;
    list.current?.querySelector<HTMLElement>('.policy:last-child input')?.focus();
  });
  const add = (): void => {
    added.current = true;
    onChange([...policies, { id: '', permission: 'r' }]);
  };
  return (
    <>
      {policies.length === 0 && <p>This table has no access policies.</p>}
      <div class="policies" ref={list}>
        {policies.map((policy, at) => (
          <PolicyFields
            key={at}
            number={at + 1}
            policy={policy}
            fault={idFault(policy.id, policies.toSpliced(at, 1))}
            onChange={(changed) => onChange(policies.with(at, changed))}
            onRemove={() => onChange(policies.toSpliced(at, 1))}
          />
        ))}
      </div>
      <div>
        <Button icon="plus" isDisabled={policies.length >= policiesMax} onClick={add}>
          Add policy
        </Button>
      </div>
    </>
  );
}

interface PolicyFieldsProps {
  readonly number: number;
  readonly policy: SignedIdentifier;
  readonly fault: string | undefined;
  readonly onChange: (policy: SignedIdentifier) => void;
  readonly onRemove: () => void;
}

/** An empty text leaves the member out: the signature then decides. */
function withText(policy: SignedIdentifier, name: 'start' | 'expiry' | 'permission', text: string): SignedIdentifier {
  const { [name]: _before, ...others } = policy;
  return text === '' ? others : { ...others, [name]: text };
}

function PolicyFields({ number, policy, fault, onChange, onRemove }: PolicyFieldsProps): JSX.Element {
  const allow = (letter: string, isAllowed: boolean): void => {
    const isGiven = (known: string): boolean =>
      known === letter ? isAllowed : policy.permission?.includes(known) === true;
    const letters = permissions.map(([known]) => known).filter(isGiven);
    onChange(withText(policy, 'permission', letters.join('')));
  };
  return (
    <fieldset class="policy">
      <legend class="visually-hidden">Policy {number}</legend>
      <TextField
        label="Identifier"
        value={policy.id}
        fault={policy.id === '' ? undefined : fault}
        onInput={(id) => onChange({ ...policy, id })}
      />
      <TextField
        label="Starts"
        isMono
        placeholder="immediately"
        hint="ISO 8601, UTC"
        value={policy.start ?? ''}
        onInput={(start) => onChange(withText(policy, 'start', start))}
      />
      <TextField
        label="Expires"
        isMono
        placeholder="as the signature says"
        hint="2027-01-31T00:00:00Z"
        value={policy.expiry ?? ''}
        onInput={(expiry) => onChange(withText(policy, 'expiry', expiry))}
      />
      <div class="policy-permissions">
        {permissions.map(([letter, word]) => (
          <CheckField
            key={letter}
            label={word}
            isChecked={policy.permission?.includes(letter) === true}
            onInput={(isAllowed) => allow(letter, isAllowed)}
          />
        ))}
      </div>
      <IconButton icon="trash" label={`Remove policy ${number}`} onClick={onRemove} />
    </fieldset>
  );
}

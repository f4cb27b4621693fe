import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { announce } from '../../announce.ts';
import type { ShownEntity } from '../../client/edm.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { formatMoment } from '../../format.ts';
import { ConflictView } from './conflict-view.tsx';
import { combined, type Draft, draftOf, emptyDraft, entityOfDraft, faultsOf, isChanged } from './entity-draft.ts';
import { EntityForm } from './entity-form.tsx';
import { saveEntity } from './save-entity.ts';

export type EntityTask =
  | { readonly kind: 'add' }
  | { readonly kind: 'edit'; readonly entity: ShownEntity }
  | { readonly kind: 'clone'; readonly entity: ShownEntity };

export interface EntityDialogProps {
  readonly account: string;
  readonly table: string;
  readonly task: EntityTask;
  readonly onClose: () => void;
  /** Called with the entity as it is stored now. */
  readonly onWritten: (entity: ShownEntity) => void;
  /** Called if the edited entity does not exist any more. */
  readonly onGone: () => void;
}

const titles = { add: 'Add entity', edit: 'Edit entity', clone: 'Clone entity' } as const;
const actions = { add: 'Add', edit: 'Save', clone: 'Add' } as const;

type Problem =
  | { readonly kind: 'conflict'; readonly theirs: ShownEntity }
  | { readonly kind: 'gone' }
  | { readonly kind: 'leaving' }
  | { readonly kind: 'refused'; readonly error: unknown };

/** Adds, edits or clones an entity. */
export function EntityDialog(props: EntityDialogProps): JSX.Element {
  const { account, table, task, onClose, onWritten, onGone } = props;
  const [before, setBefore] = useState(task.kind === 'edit' ? task.entity : undefined);
  const [start, setStart] = useState<Draft>(() => (task.kind === 'add' ? emptyDraft : draftOf(task.entity)));
  const [draft, setDraft] = useState(start);
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const faults = faultsOf(draft);
  const save = async (from: ShownEntity | undefined, written: Draft): Promise<void> => {
    if (isBusy || faultsOf(written).isFaulty) return;
    setBusy(true);
    setProblem(undefined);
    const outcome = await saveEntity({ account, table, before: from, entity: entityOfDraft(written) });
    setBusy(false);
    if (outcome.kind !== 'written') {
      setProblem(outcome);
      return;
    }
    announce(task.kind === 'edit' ? 'Entity saved' : 'Entity added');
    onWritten(outcome.entity);
    onClose();
  };
  const leave = (): void => {
    if (problem?.kind === 'leaving' || !isChanged(draft, start)) onClose();
    else setProblem({ kind: 'leaving' });
  };
  const takeTheirs = (theirs: ShownEntity): void => {
    setBefore(theirs);
    setStart(draftOf(theirs));
    setDraft(draftOf(theirs));
    setProblem(undefined);
    onWritten(theirs);
  };
  const writeAgain = (): void => {
    setBefore(undefined);
    void save(undefined, draft);
  };
  const combine = (theirs: ShownEntity): void => {
    if (!before) return;
    const both = draftOf(combined({ before, yours: entityOfDraft(draft), theirs }));
    setDraft(both);
    void save(theirs, both);
  };
  return (
    <Dialog
      title={titles[task.kind]}
      width="wide"
      onClose={leave}
      onSubmit={() => void save(before, draft)}
      actions={
        problem?.kind === 'conflict' && before ? (
          <ConflictActions
            onEdit={() => setProblem(undefined)}
            onTake={() => takeTheirs(problem.theirs)}
            onCombine={() => combine(problem.theirs)}
            onOverwrite={() => void save(problem.theirs, draft)}
          />
        ) : (
          <>
            <Button onClick={leave}>Cancel</Button>
            <Button kind="primary" type="submit" isDisabled={faults.isFaulty || isBusy}>
              {actions[task.kind]}
            </Button>
          </>
        )
      }
    >
      {problem?.kind === 'conflict' && before ? (
        <ConflictView before={before} yours={entityOfDraft(draft)} theirs={problem.theirs} />
      ) : (
        <EntityForm draft={draft} faults={faults} hasFixedKeys={task.kind === 'edit'} onChange={setDraft} />
      )}
      {before && problem?.kind !== 'conflict' && (
        <p class="muted entity-version">
          Written at {formatMoment(before.timestamp)}; ETag <code>{before.etag}</code>
        </p>
      )}
      {problem?.kind === 'leaving' && (
        <Question text="You changed this entity and did not save it.">
          <Button kind="danger" onClick={onClose}>
            Discard the changes
          </Button>
          <Button onClick={() => setProblem(undefined)}>Keep editing</Button>
        </Question>
      )}
      {problem?.kind === 'gone' && (
        <Question text="Somebody else deleted this entity after you opened it.">
          <Button onClick={writeAgain}>Insert it again</Button>
          <Button
            onClick={() => {
              onGone();
              onClose();
            }}
          >
            Leave it deleted
          </Button>
        </Question>
      )}
      {problem?.kind === 'refused' && <ErrorBox error={problem.error} />}
    </Dialog>
  );
}

interface ConflictActionsProps {
  readonly onEdit: () => void;
  readonly onTake: () => void;
  readonly onCombine: () => void;
  readonly onOverwrite: () => void;
}

function ConflictActions({ onEdit, onTake, onCombine, onOverwrite }: ConflictActionsProps): JSX.Element {
  return (
    <>
      <Button kind="quiet" onClick={onEdit}>
        Back to editing
      </Button>
      <Button onClick={onTake}>Take theirs</Button>
      <Button onClick={onCombine} title="Their version, with your changes applied to it">
        Save both changes
      </Button>
      <Button kind="danger" onClick={onOverwrite}>
        Overwrite with yours
      </Button>
    </>
  );
}

function Question({ text, children }: { readonly text: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="question" role="alert">
      <p>{text}</p>
      <div class="toolbar">{children}</div>
    </div>
  );
}

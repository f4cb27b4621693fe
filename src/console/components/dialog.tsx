import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { Button, IconButton } from './button.tsx';
import { ErrorBox } from './error-box.tsx';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons at the end. */
  readonly actions?: ComponentChildren;
  readonly width?: 'narrow' | 'wide';
  /** If given, the content is a form. */
  readonly onSubmit?: () => void;
}

/** A modal dialog: render it while it is open. Escape closes it, and focus returns to where it was. */
export function Dialog({ title, onClose, children, actions, width = 'narrow', onSubmit }: DialogProps): JSX.Element {
  const titleId = useId();
  const { ref, closed } = useModal(onClose);
  const content = (
    <>
      <div class="dialog-body">{children}</div>
      {actions && <div class="dialog-actions">{actions}</div>}
    </>
  );
  return (
    <dialog
      ref={ref}
      class={`dialog ${width}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // The cancel event of a file picker bubbles up to here. Cancelling the picker must not close the dialog.
        if (event.target === event.currentTarget) closeWith(onClose)(event);
      }}
      onClose={closed}
    >
      <header class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {onSubmit ? <form onSubmit={closeWith(onSubmit)}>{content}</form> : content}
    </dialog>
  );
}

/**
 * Shows the dialog for as long as it is rendered. A second Escape makes the browser close the dialog without asking the
 * page. If the page still renders the dialog, for example while something runs, the dialog is shown again.
 */
function useModal(onClose: () => void) {
  const ref = useRef<HTMLDialogElement>(null);
  const isOver = useRef(false);
  const [, showAgain] = useReducer((times: number) => times + 1, 0);
  // Runs before the browser draws, so that no key is lost that is pressed right after the click that opened the dialog.
  useLayoutEffect(() => {
    const [dialog, before] = [ref.current, document.activeElement];
    return () => {
      isOver.current = true;
      // Close first: while the dialog is modal, nothing behind it can take the focus.
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  useLayoutEffect(() => {
    if (ref.current?.open === false) ref.current.showModal();
  });
  const closed = (): void => {
    if (isOver.current) return;
    onClose();
    showAgain(undefined);
  };
  return { ref, closed };
}

const closeWith =
  (run: () => void) =>
  (event: Event): void => {
    event.preventDefault();
    run();
  };

export interface ConfirmProps {
  readonly title: string;
  /** What will happen, and whether it can be undone. */
  readonly children: ComponentChildren;
  /** The text of the button: `Delete table`. */
  readonly action: string;
  /** If it throws, the dialog shows the error and stays open. */
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for confirmation before an action that cannot be undone. */
export function Confirm({ title, children, action, onConfirm, onClose }: ConfirmProps): JSX.Element {
  const [fault, setFault] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFault(error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void run()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" isDisabled={isBusy}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {fault !== undefined && <ErrorBox error={fault} />}
    </Dialog>
  );
}

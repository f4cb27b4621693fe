import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** What is wrong with the value. */
  readonly fault?: string | undefined;
  /** Whether only screen readers get the label. */
  readonly isLabelHidden?: boolean;
}

export interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'password' | 'number' | 'search' | 'datetime-local';
  readonly placeholder?: string;
  readonly isMono?: boolean;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  readonly isFocused?: boolean;
  readonly min?: number;
  readonly max?: number;
}

export function TextField(props: TextFieldProps): JSX.Element {
  const { value, onInput, type = 'text', placeholder, isMono, isRequired, isDisabled, isFocused, min, max } = props;
  return (
    <Labelled {...props}>
      {(ids) => (
        <input
          {...ids}
          class={isMono ? 'input mono' : 'input'}
          // The declarations of input types differ only in the roles that they allow, and no role is given here.
          type={type as 'text'}
          value={value}
          placeholder={placeholder}
          required={isRequired}
          disabled={isDisabled}
          // A dialog puts the focus here when it opens.
          autofocus={isFocused}
          min={min}
          max={max}
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

export interface TextAreaProps extends FieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly rows: number;
}

export function TextArea(props: TextAreaProps): JSX.Element {
  const { value, onInput, rows } = props;
  return (
    <Labelled {...props}>
      {(ids) => (
        <textarea
          {...ids}
          class="input mono"
          rows={rows}
          value={value}
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

export interface SelectFieldProps extends FieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly isDisabled?: boolean;
}

export function SelectField(props: SelectFieldProps): JSX.Element {
  const { value, onInput, options, isDisabled } = props;
  return (
    <Labelled {...props}>
      {(ids) => (
        <select
          {...ids}
          class="input"
          value={value}
          disabled={isDisabled}
          onChange={({ currentTarget }) => onInput(currentTarget.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

export interface CheckFieldProps {
  readonly label: ComponentChildren;
  readonly isChecked: boolean;
  readonly onInput: (isChecked: boolean) => void;
  readonly isDisabled?: boolean;
}

export function CheckField({ label, isChecked, onInput, isDisabled }: CheckFieldProps): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={({ currentTarget }) => onInput(currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

interface Ids {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
}

interface LabelledProps extends FieldProps {
  readonly children: (ids: Ids) => JSX.Element;
}

/** A control with its label, hint and fault, linked for screen readers. */
function Labelled({ label, hint, fault, isLabelHidden, children }: LabelledProps): JSX.Element {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ') || undefined;
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'visually-hidden' : 'label'}>
        {label}
      </label>
      {children({ id, 'aria-describedby': describedBy, 'aria-invalid': fault ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {fault && (
        <p id={`${id}-fault`} class="fault">
          {fault}
        </p>
      )}
    </div>
  );
}

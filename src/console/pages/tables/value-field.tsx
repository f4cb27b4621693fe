import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { binaryBytesMax, stringCharsMax } from '../../../model/limits.ts';
import type { TypedText } from '../../client/edm.ts';
import { Button } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { bytesOf } from '../../components/grid/grid-row.tsx';
import { formatMoment, formatNumber, visibleText } from '../../format.ts';
import { base64OfHex, hexOfBase64 } from './binary-text.ts';

export interface ValueFieldProps {
  /** The name of the property, with invisible characters as escapes. */
  readonly name: string;
  readonly value: TypedText;
  readonly fault: string | undefined;
  /** Whether a dialog puts the focus here. */
  readonly isFocused: boolean;
  readonly onInput: (text: string) => void;
}

/** A control for a value of its type. */
export function ValueField(props: ValueFieldProps): JSX.Element {
  const { name, value, fault, isFocused, onInput } = props;
  const { type, text } = value;
  const label = `Value of ${name}`;
  switch (type) {
    case 'Edm.String':
      return <StringField {...props} />;
    case 'Edm.Binary':
      return <BinaryField {...props} />;
    case 'Edm.Boolean':
      return (
        <SelectField
          label={label}
          isLabelHidden
          value={text}
          onInput={onInput}
          options={['true', 'false'].map((word) => ({ value: word, label: word }))}
        />
      );
    case 'Edm.DateTime':
      return <DateTimeField {...props} />;
    default:
      return (
        <TextField
          label={label}
          isLabelHidden
          isMono
          value={text}
          fault={fault}
          isFocused={isFocused}
          onInput={onInput}
        />
      );
  }
}

/** Characters that a text area shows wrongly or not at all. It shows line ends and tabs. */
const hidden = /[^\P{Cc}\t\n]|\p{Cf}|[\u2028\u2029]/u;
const rowsMax = 12;

function StringField({ name, value: { text }, fault, isFocused, onInput }: ValueFieldProps): JSX.Element {
  const rows = Math.min(rowsMax, Math.max(text.split('\n').length, Math.ceil(text.length / 80), 1));
  // A text area has only LF as line end. If the value has CRLF everywhere, CRLF is put back.
  const isCrLf = /\r\n/.test(text) && !/[^\r]\n|\r(?!\n)/.test(text);
  const hint = [
    text.length > 200 && `${formatNumber(text.length)} of ${formatNumber(stringCharsMax)} characters`,
    hidden.test(text) && `Contains invisible characters: ${visibleText(text.match(hidden)?.[0] ?? '')}`,
  ];
  return (
    <AreaField
      label={`Value of ${name}`}
      text={text}
      rows={rows}
      fault={fault}
      isFocused={isFocused}
      hint={hint.filter(Boolean).join('. ')}
      onInput={(next) => onInput(isCrLf ? next.replaceAll('\n', '\r\n') : next)}
    />
  );
}

interface AreaFieldProps {
  readonly label: string;
  readonly text: string;
  readonly rows: number;
  readonly hint: string;
  readonly fault: string | undefined;
  readonly isFocused: boolean;
  readonly onInput: (text: string) => void;
}

function AreaField({ label, text, rows, hint, fault, isFocused, onInput }: AreaFieldProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <textarea
        class="input mono"
        aria-label={label}
        aria-invalid={fault === undefined ? undefined : true}
        aria-describedby={`${id}-hint`}
        rows={rows}
        value={text}
        spellcheck={false}
        autofocus={isFocused}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <p id={`${id}-hint`} class={fault === undefined ? 'hint' : 'fault'}>
        {fault ?? hint}
      </p>
    </div>
  );
}

function DateTimeField({ name, value: { text }, fault, isFocused, onInput }: ValueFieldProps): JSX.Element {
  return (
    <div class="with-button">
      <TextField
        label={`Value of ${name}`}
        isLabelHidden
        isMono
        placeholder="2026-01-31T12:00:00.1234567Z"
        value={text}
        fault={fault}
        isFocused={isFocused}
        hint={fault === undefined && text !== '' ? `Here: ${formatMoment(text)}` : undefined}
        onInput={onInput}
      />
      <Button onClick={() => onInput(new Date().toISOString())}>Now</Button>
    </div>
  );
}

function BinaryField({ name, value: { text }, fault, isFocused, onInput }: ValueFieldProps): JSX.Element {
  const [form, setForm] = useState<'base64' | 'hex'>('base64');
  /** What the user typed, while it is not a valid hexadecimal text yet. */
  const [typed, setTyped] = useState<string>();
  const shown = form === 'hex' ? (typed ?? hexOfBase64(text)) : text;
  const wrong = typed === undefined ? fault : 'Pairs of the digits 0 to f.';
  const input = (next: string): void => {
    const base64 = form === 'hex' ? base64OfHex(next) : next.trim();
    setTyped(base64 === undefined ? next : undefined);
    if (base64 !== undefined) onInput(base64);
  };
  return (
    <div class="binary-field">
      <AreaField
        label={`Value of ${name}`}
        text={shown}
        rows={Math.min(rowsMax, Math.max(1, Math.ceil(shown.length / 80)))}
        fault={wrong}
        isFocused={isFocused}
        hint={`${formatNumber(bytesOf(text))} of ${formatNumber(binaryBytesMax)} bytes`}
        onInput={input}
      />
      <SelectField
        label={`Form of ${name}`}
        isLabelHidden
        value={form}
        onInput={(next) => {
          setTyped(undefined);
          setForm(next as 'base64' | 'hex');
        }}
        options={[
          { value: 'base64', label: 'base64' },
          { value: 'hex', label: 'hex' },
        ]}
      />
    </div>
  );
}

import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { EdmType } from '../../client/edm.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Text } from '../../components/text.tsx';
import { visibleText } from '../../format.ts';
import {
  converted,
  type Draft,
  type DraftFaults,
  type DraftProperty,
  typeOptions,
  withProperty,
} from './entity-draft.ts';
import { ValueField } from './value-field.tsx';

export interface EntityFormProps {
  readonly draft: Draft;
  readonly faults: DraftFaults;
  /** The keys of a stored entity do not change. */
  readonly hasFixedKeys: boolean;
  readonly onChange: (draft: Draft) => void;
}

export function EntityForm({ draft, faults, hasFixedKeys, onChange }: EntityFormProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const added = useRef(false);
  // Runs before the browser draws, so that the first letter of a name is not lost.
  useLayoutEffect(() => {
    if (!added.current) return;
    added.current = false;
    list.current?.querySelector<HTMLElement>('.property:last-child input')?.focus();
  });
  const change = (changed: DraftProperty): void =>
    onChange({ ...draft, properties: draft.properties.map((one) => (one.id === changed.id ? changed : one)) });
  const remove = (id: number): void =>
    onChange({ ...draft, properties: draft.properties.filter((one) => one.id !== id) });
  return (
    <>
      {hasFixedKeys ? (
        <FixedKeys draft={draft} />
      ) : (
        <div class="key-fields">
          <TextField
            label="PartitionKey"
            isFocused
            isMono
            value={draft.partitionKey}
            fault={faults.partitionKey}
            onInput={(partitionKey) => onChange({ ...draft, partitionKey })}
          />
          <TextField
            label="RowKey"
            isMono
            value={draft.rowKey}
            fault={faults.rowKey}
            onInput={(rowKey) => onChange({ ...draft, rowKey })}
          />
        </div>
      )}
      <div class="properties" ref={list}>
        {draft.properties.map((property, at) => (
          <PropertyFields
            key={property.id}
            property={property}
            nameFault={property.name === '' ? undefined : faults.names.get(property.id)}
            valueFault={faults.values.get(property.id)}
            isFocused={hasFixedKeys && at === 0}
            onChange={change}
            onRemove={() => remove(property.id)}
          />
        ))}
      </div>
      {faults.entity !== undefined && <p class="fault">{faults.entity}</p>}
      <div>
        <Button
          icon="plus"
          onClick={() => {
            added.current = true;
            onChange(withProperty(draft));
          }}
        >
          Add property
        </Button>
      </div>
    </>
  );
}

function FixedKeys({ draft }: { readonly draft: Draft }): JSX.Element {
  return (
    <dl class="key-of">
      <dt>PartitionKey</dt>
      <dd>
        <Text text={draft.partitionKey} charsMax={1024} />
      </dd>
      <dt>RowKey</dt>
      <dd>
        <Text text={draft.rowKey} charsMax={1024} />
      </dd>
    </dl>
  );
}

interface PropertyFieldsProps {
  readonly property: DraftProperty;
  readonly nameFault: string | undefined;
  readonly valueFault: string | undefined;
  /** Whether the dialog puts the focus on its value. */
  readonly isFocused: boolean;
  readonly onChange: (property: DraftProperty) => void;
  readonly onRemove: () => void;
}

function PropertyFields(props: PropertyFieldsProps): JSX.Element {
  const { property, nameFault, valueFault, isFocused, onChange, onRemove } = props;
  const { name, value } = property;
  const shownName = name === '' ? 'the new property' : visibleText(name);
  return (
    <fieldset class="property">
      <legend class="visually-hidden">{shownName}</legend>
      <TextField
        label="Name of the property"
        isLabelHidden
        isMono
        placeholder="Name"
        value={name}
        fault={nameFault}
        onInput={(next) => onChange({ ...property, name: next })}
      />
      <SelectField
        label={`Type of ${shownName}`}
        isLabelHidden
        value={value.type}
        onInput={(type) => onChange({ ...property, value: converted(value, type as EdmType) })}
        options={typeOptions}
      />
      <ValueField
        name={shownName}
        value={value}
        fault={valueFault}
        isFocused={isFocused}
        onInput={(text) => onChange({ ...property, value: { ...value, text } })}
      />
      <IconButton icon="trash" label={`Remove ${shownName}`} onClick={onRemove} />
    </fieldset>
  );
}

// Some entities of a table, from which the editor knows names, types and values.

import { useEffect, useState } from 'preact/hooks';
import { fetchPage } from '../../client/data-plane.ts';
import type { EdmType, ShownEntity, TypedText } from '../../client/edm.ts';

export interface SampledProperty {
  readonly name: string;
  readonly type: EdmType;
  /** Some different values of the property. */
  readonly values: readonly string[];
}

const entitiesMax = 100;
const valuesMax = 12;
const valueCharsMax = 60;

/** The properties of some entities. Empty until these are read, and if the table cannot be read. */
export function useSamples(account: string, table: string): readonly SampledProperty[] {
  const [samples, setSamples] = useState<readonly SampledProperty[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    setSamples(samplesOf([]));
    fetchPage(account, table, { top: entitiesMax, signal: abort.signal })
      .then(({ entities }) => setSamples(samplesOf(entities)))
      // The query itself will say what is wrong.
      .catch(() => undefined);
    return () => abort.abort();
  }, [account, table]);
  return samples;
}

function samplesOf(entities: readonly ShownEntity[]): readonly SampledProperty[] {
  const found = new Map<string, { type: EdmType; values: Set<string> }>();
  const add = (name: string, { type, text }: TypedText): void => {
    const property = found.get(name) ?? { type, values: new Set<string>() };
    found.set(name, property);
    if (property.values.size < valuesMax && text.length <= valueCharsMax) property.values.add(text);
  };
  found.set('PartitionKey', { type: 'Edm.String', values: new Set() });
  found.set('RowKey', { type: 'Edm.String', values: new Set() });
  found.set('Timestamp', { type: 'Edm.DateTime', values: new Set() });
  for (const { partitionKey, rowKey, timestamp, properties } of entities) {
    add('PartitionKey', { type: 'Edm.String', text: partitionKey });
    add('RowKey', { type: 'Edm.String', text: rowKey });
    add('Timestamp', { type: 'Edm.DateTime', text: timestamp });
    for (const [name, value] of properties) add(name, value);
  }
  return [...found].map(([name, { type, values }]) => ({ name, type, values: [...values] }));
}

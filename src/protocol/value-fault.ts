import { quote } from '../model/printable-text.ts';

const forms: ReadonlyMap<string, string> = new Map([
  ['Edm.Boolean', 'true or false'],
  ['Edm.Int32', 'a whole number from -2147483648 to 2147483647'],
  ['Edm.Int64', 'a whole number from -2^63 to 2^63 - 1, in quotation marks in JSON'],
  ['Edm.Double', 'a number, or "NaN", "Infinity", "-Infinity"'],
  ['Edm.DateTime', 'a time such as 2024-05-01T10:00:00Z'],
  ['Edm.Guid', 'a GUID such as 4185404a-5818-48c3-b9be-f217df0dba6f'],
  ['Edm.Binary', 'base64'],
  ['Edm.String', 'a text'],
]);

export interface FaultyValue {
  readonly name: string;
  /** The type as the request names it. */
  readonly type: string | undefined;
  /** The value as the request has it. */
  readonly text: string;
}

/** Why a value is refused: its type does not exist, or its text does not fit the type. */
export function valueFault({ name, type, text }: FaultyValue): string[] {
  const property = `The property ${quote(name)}`;
  if (type === undefined) return [`${property} is neither text nor number nor Boolean: ${quote(text)}.`];
  const form = forms.get(type);
  if (form === undefined)
    return [`${property} has the type ${quote(type)}.`, `The types are ${[...forms.keys()].join(', ')}.`];
  return [`${property} is ${quote(text)}, which is not a valid ${type}.`, `${type} is ${form}.`];
}

// Reads the JSON that a storage engine keeps for the service. If a text does not have the expected structure, the text
// has been damaged, and the functions throw DamagedText.

export type JsonMembers = Readonly<Record<string, unknown>>;

/** The text is not the text that was stored. */
export class DamagedText extends Error {}

export function parseStored<T>(text: string, read: (value: unknown) => T): T {
  try {
    return read(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw new DamagedText('not JSON');
    throw error;
  }
}

export function storedMembers(value: unknown): JsonMembers {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new DamagedText('not an object');
  return value as JsonMembers;
}

export function storedList<T>(value: unknown, read: (item: unknown) => T): T[] {
  if (!Array.isArray(value)) throw new DamagedText('not a list');
  return value.map(read);
}

export function storedText(value: unknown): string {
  if (typeof value !== 'string') throw new DamagedText('not a text');
  return value;
}

export function storedBoolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new DamagedText('not a Boolean');
  return value;
}

export function storedInteger(value: unknown, { min, max }: { readonly min: number; readonly max: number }): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw new DamagedText('not an integer in its range');
  }
  return value;
}

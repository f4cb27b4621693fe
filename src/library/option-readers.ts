/** Gives an option's value, or throws a TypeError that says of its path what it must be, and repeats nothing of the value. */
export type Reader<T> = (value: unknown, path: string) => T;

/** How each member of an object is read. */
export type Readers<T> = { readonly [Name in keyof T]-?: Reader<Exclude<T[Name], undefined>> };

export const optionFault = (message: string): TypeError => new TypeError(`startEmulator: ${message}`);

export const boolean = reader('true or false', (value) => typeof value === 'boolean');

export const text = reader('a text that is not empty', isText);

export const oneOf = <T extends string>(...names: readonly T[]): Reader<T> =>
  reader(`one of ${names.join(', ')}`, (value): value is T => names.some((name) => name === value));

export const wholeNumber = ({ min = 0, max }: { readonly min?: number; readonly max: number }): Reader<number> =>
  reader(
    `a whole number from ${min} to ${max}`,
    (value): value is number => isNumber(value) && Number.isInteger(value) && value >= min && value <= max,
  );

export const numberAbove0 = (max: number): Reader<number> =>
  reader(
    `a number above 0 and at most ${max}`,
    (value): value is number => isNumber(value) && value > 0 && value <= max,
  );

export const listOf =
  <T>(read: Reader<T>): Reader<readonly T[]> =>
  (value, path) => {
    if (!Array.isArray(value)) throw optionFault(`${path} must be a list`);
    return Array.from(value, (item: unknown, at) => read(item, `${path}[${at}]`));
  };

/** Reads an object that has all of the members and no others. */
export const allOf =
  <T extends object>(readers: Readers<T>): Reader<T> =>
  (value, path) =>
    readMembers(value, { path, readers, isOptional: false }) as T;

/** Reads an object that has some of the members and no others; who gives undefined gives none. */
export const someOf =
  <T extends object>(readers: Readers<T>): Reader<Partial<T>> =>
  (value, path) =>
    readMembers(value, { path, readers, isOptional: true }) as Partial<T>;

interface MembersTerms {
  /** Empty for the options themselves. */
  readonly path: string;
  readonly readers: object;
  readonly isOptional: boolean;
}

function readMembers(value: unknown, { path, readers, isOptional }: MembersTerms): object {
  if (!isObject(value)) throw optionFault(`${path || 'what is given'} must be an object`);
  const pathOf = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const names = Object.keys(readers);
  const unknown = Object.keys(value).find((name) => value[name] !== undefined && !names.includes(name));
  if (unknown !== undefined)
    throw optionFault(`there is no option ${pathOf(unknown)}, but ${names.map(pathOf).join(', ')}`);
  // By the names that are known, so that what an object inherits is read like its own.
  const members = Object.entries<Reader<unknown>>({ ...readers }).flatMap(([name, read]) => {
    const member = value[name];
    return isOptional && member === undefined ? [] : [[name, read(member, pathOf(name))] as const];
  });
  return Object.fromEntries(members);
}

function reader<T>(what: string, isOne: (value: unknown) => value is T): Reader<T> {
  return (value, path) => {
    if (isOne(value)) return value;
    throw optionFault(`${path} must be ${what}`);
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

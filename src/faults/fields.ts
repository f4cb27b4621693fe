// Reads the members of a rule from a client, a file or a program. A refusal names the invalid member.

/** What is wrong with a rule; the message begins with the field. */
export class UnusableRule extends Error {
  /** The path of the field: `fault.status`, or in a list `[2].fault.status`. Empty for the rule itself. */
  readonly field: string;

  constructor(field: string, reason: string) {
    super(field === '' ? reason : `"${field}": ${reason}`);
    this.name = 'UnusableRule';
    this.field = field;
  }
}

export interface WholeBounds {
  readonly min: number;
  readonly max: number;
}

/** The members of one object. */
export class Fields {
  readonly path: string;
  readonly #members: Readonly<Record<string, unknown>>;

  /** Throws UnusableRule if `value` is not an object. */
  constructor(value: unknown, path: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new UnusableRule(path, `${path === '' ? 'A rule' : 'it'} must be an object.`);
    }
    this.path = path;
    this.#members = value as Readonly<Record<string, unknown>>;
  }

  /** The names of the members that have a value. */
  get names(): readonly string[] {
    return Object.keys(this.#members).filter((name) => this.#members[name] !== undefined);
  }

  refuse(name: string, reason: string): never {
    throw new UnusableRule(this.#placeOf(name), reason);
  }

  /** Throws UnusableRule for a member with any other name. */
  only(known: readonly string[]): void {
    const unknown = this.names.find((name) => !known.includes(name));
    if (unknown !== undefined) this.refuse(unknown, `there is no such member; the members are ${known.join(', ')}.`);
  }

  has(name: string): boolean {
    return this.names.includes(name);
  }

  /** The members of a member that is an object; undefined if it is absent. */
  object(name: string): Fields | undefined {
    return this.has(name) ? new Fields(this.#members[name], this.#placeOf(name)) : undefined;
  }

  text(name: string, { charsMax, charsMin = 0 }: { charsMax: number; charsMin?: number }): string | undefined {
    const value = this.#members[name];
    if (value === undefined) return undefined;
    if (typeof value !== 'string') return this.refuse(name, 'it must be a text.');
    if (value.length > charsMax) this.refuse(name, `it has at most ${charsMax} characters.`);
    if (value.length < charsMin) this.refuse(name, 'it must not be empty.');
    return value;
  }

  choice<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
    const value = this.#members[name];
    if (value === undefined) return undefined;
    const found = values.find((one) => one === value);
    return found ?? this.refuse(name, `it must be one of ${values.join(', ')}.`);
  }

  whole(name: string, { min, max }: WholeBounds): number | undefined {
    const value = this.#members[name];
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    return this.refuse(name, `it must be a whole number from ${min} to ${max}.`);
  }

  /** A number that may have a fraction. */
  number(name: string, { min, max }: WholeBounds): number | undefined {
    const value = this.#members[name];
    if (value === undefined) return undefined;
    if (typeof value === 'number' && value >= min && value <= max) return value;
    return this.refuse(name, `it must be a number from ${min} to ${max}.`);
  }

  required<Value>(name: string, value: Value | undefined): Value {
    return value ?? this.refuse(name, 'it is missing.');
  }

  #placeOf(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }
}

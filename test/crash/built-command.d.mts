/** The path of the built command. */
export function builtCommand(): Promise<string>;

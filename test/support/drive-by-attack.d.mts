/** Runs in a page, to which its text is sent. */
export function attack(base: string, query: string, entry: string): Promise<readonly string[]>;

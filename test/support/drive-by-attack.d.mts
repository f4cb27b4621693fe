/** This function runs in a page, to which its source is sent as text. */
export function attack(base: string, query: string, entry: string): Promise<readonly string[]>;

export function writeConsole(options: { readonly root: string; readonly dir: string }): Promise<readonly string[]>;

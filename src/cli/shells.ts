// How a shell is told a variable of its environment.

export const shells = ['sh', 'fish', 'powershell', 'cmd'] as const;
export type Shell = (typeof shells)[number];

/** A line that the shell reads as it is meant, whatever the value holds; no value here has a line end. */
export const exportLine: Readonly<Record<Shell, (name: string, value: string) => string>> = {
  sh: (name, value) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`,
  fish: (name, value) => `set -gx ${name} '${value.replaceAll(/[\\']/g, '\\$&')}'`,
  powershell: (name, value) => `$env:${name} = '${value.replaceAll("'", "''")}'`,
  // Between the quotes cmd takes all but a percent sign as it is; that is doubled in a batch file, where this belongs.
  cmd: (name, value) => `set "${name}=${value.replaceAll('%', '%%')}"`,
};

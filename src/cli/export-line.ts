/** A line that sets a variable in each shell, for any value without a line end. */
export const exportLine = {
  sh: (name: string, value: string) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`,
  fish: (name: string, value: string) => `set -gx ${name} '${value.replaceAll(/[\\']/g, '\\$&')}'`,
  powershell: (name: string, value: string) => `$env:${name} = '${value.replaceAll("'", "''")}'`,
  // In quotes, cmd takes everything literally except a percent sign: a batch file doubles it.
  cmd: (name: string, value: string) => `set "${name}=${value.replaceAll('%', '%%')}"`,
} as const;

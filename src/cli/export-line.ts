/** The line that sets a variable, for each shell. The value must not contain a line end. */
export const exportLine = {
  sh: (name: string, value: string) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`,
  fish: (name: string, value: string) => `set -gx ${name} '${value.replaceAll(/[\\']/g, '\\$&')}'`,
  powershell: (name: string, value: string) => `$env:${name} = '${value.replaceAll("'", "''")}'`,
  // In quotes, cmd takes everything literally except a percent sign, which a batch file must double.
  cmd: (name: string, value: string) => `set "${name}=${value.replaceAll('%', '%%')}"`,
} as const;

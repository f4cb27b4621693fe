export function collectLicences(
  packages: readonly { readonly folder: string; readonly name: string; readonly version: string }[],
): string;

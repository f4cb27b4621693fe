import { join } from 'node:path';
import { readPrivateFile, replacePrivateFile } from './private-files.ts';

export interface CredentialFiles {
  /** Certificate and private key of a client; absent without a certificate. */
  readonly certificate?: string;
  readonly federatedToken: string;
}

/** Writes what identity libraries read from files, and gives the paths. A file that holds the same stays as it is. */
export function writeCredentialFiles(
  folder: string,
  {
    name,
    certificate,
    federatedToken,
  }: { readonly name: string } & { readonly [Kind in keyof CredentialFiles]: string | undefined },
): CredentialFiles {
  const write = (suffix: string, text: string): string => {
    const path = join(folder, `${name}${suffix}`);
    if (readPrivateFile(path)?.toString('utf8') !== text) replacePrivateFile(path, text);
    return path;
  };
  return {
    ...(certificate === undefined ? {} : { certificate: write('.pem', certificate) }),
    // A line feed ends it, as in the files of Kubernetes.
    federatedToken: write('.token', `${federatedToken}\n`),
  };
}

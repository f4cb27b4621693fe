import { join } from 'node:path';
import { readPrivateFile, replacePrivateFile } from './private-files.ts';

export interface CredentialFiles {
  /** The path of a file with a client's certificate and private key; absent if there is no certificate. */
  readonly certificate?: string;
  readonly federatedToken: string;
}

/**
 * Writes the files that identity libraries read, and returns their paths. If a file already has the right content, does
 * not write it again.
 */
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
    // The file ends with a line feed, as in Kubernetes.
    federatedToken: write('.token', `${federatedToken}\n`),
  };
}

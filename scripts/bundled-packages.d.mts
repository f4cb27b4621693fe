export interface BundledPackage {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

export function packagesOf(moduleFiles: readonly string[]): readonly BundledPackage[];

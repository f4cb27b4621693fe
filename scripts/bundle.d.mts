export function writeBundle(options: {
  readonly root: string;
  readonly manifest: { readonly dependencies: object; readonly peerDependencies: object };
  readonly dir: string;
}): Promise<readonly string[]>;

export function bundlePageScript(root: string): Promise<string>;

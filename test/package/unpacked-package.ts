import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** What npm prints about a tarball. */
interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

/** The package in a folder outside the repository, as an install leaves it. Nothing is downloaded. */
export class UnpackedPackage {
  readonly folder = mkdtempSync(join(tmpdir(), 'tanzanite-package-'));
  readonly packed: Packed;

  constructor(alsoThere: readonly string[] = []) {
    const args = ['pack', root, '--ignore-scripts', '--json', '--pack-destination', this.folder];
    const said = execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    // npm prints a list or an object, depending on its version.
    const [packed] = Object.values<Packed>(JSON.parse(said));
    if (!packed) throw new Error('npm packed nothing');
    this.packed = packed;
    mkdirSync(this.own(), { recursive: true });
    const tarball = join(this.folder, packed.filename);
    execFileSync('tar', ['xzf', tarball, '-C', this.own(), '--strip-components=1']);
    for (const name of ['better-sqlite3', ...alsoThere]) this.#link(name);
  }

  /** The path of a file of the package. */
  own(path = ''): string {
    return join(this.folder, 'node_modules/tanzanite', path);
  }

  /** Copies a folder of the repository next to the package. Returns the path of the copy. */
  copy(path: string): string {
    const place = join(this.folder, path);
    cpSync(join(root, path), place, { recursive: true });
    return place;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #link(name: string): void {
    const place = join(this.folder, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), place);
  }
}

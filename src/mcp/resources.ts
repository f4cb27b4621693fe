// The package's documents as resources: pages of the documentation, and a page for each rule of the advisor.

import { readdir, readFile } from 'node:fs/promises';
import { packageFile } from '../data/package-file.ts';

export interface DocumentFamily {
  /** `docs` in `tanzanite://docs/faults`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Folder in the package. */
  readonly folder: string;
}

export const documentFamilies: readonly DocumentFamily[] = [
  { name: 'docs', title: 'Documentation', description: 'A page of the documentation of the emulator.', folder: 'docs' },
  {
    name: 'rules',
    title: 'Rules of the advisor',
    description: "A rule of the advisor: what the rule finds and why, what to do, and the page of Microsoft's guides.",
    folder: 'docs/advisor',
  },
];

export interface DocumentPage {
  /** Name of the file, without `.md`. */
  readonly name: string;
  readonly title: string;
}

const namePattern = /^[A-Za-z][A-Za-z0-9-]*$/;

export async function listDocuments({ folder }: DocumentFamily): Promise<readonly DocumentPage[]> {
  const place = packageFile(`${folder}/`);
  if (!place) return [];
  const names = (await readdir(place)).filter((file) => file.endsWith('.md')).map((file) => file.slice(0, -3));
  const pages = names.filter((name) => namePattern.test(name) && name !== 'README').sort();
  return Promise.all(
    pages.map(async (name) => ({
      name,
      title: /^#\s+(.+)$/m.exec(await readFile(new URL(`${name}.md`, place), 'utf8'))?.[1] ?? name,
    })),
  );
}

/** The text of a page; undefined if no page has that name. */
export async function readDocument({ folder }: DocumentFamily, name: string): Promise<string | undefined> {
  const file = namePattern.test(name) ? packageFile(`${folder}/${name}.md`) : undefined;
  return file && readFile(file, 'utf8');
}

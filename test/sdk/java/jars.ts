import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from '../../support/run-checks.ts';

export const javaFolder = import.meta.dirname;
const jars = join(javaFolder, '.cache/jars');
const stampFile = join(javaFolder, '.cache/pom.sha256');

/** Downloads the jars that pom.xml names, if pom.xml has changed. Returns the class path. */
export async function fetchJars(): Promise<string> {
  const stamp = createHash('sha256')
    .update(await readFile(join(javaFolder, 'pom.xml')))
    .digest('hex');
  if ((await readFile(stampFile, 'utf8').catch(() => '')) !== stamp) {
    const words = ['--batch-mode', '--quiet', 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`];
    await runTool({ command: 'mvn', args: words, cwd: javaFolder });
    await writeFile(stampFile, stamp);
  }
  return join(jars, '*');
}

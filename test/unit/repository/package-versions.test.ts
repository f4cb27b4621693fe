// Each package starts only the executable with its own version, so all packages must have the version in the main
// package.json.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const packages = fileURLToPath(new URL('../../../packages', import.meta.url));
const { version } = JSON.parse(readFileSync(join(packages, '../package.json'), 'utf8')) as { version: string };

const places: readonly (readonly [file: string, pattern: RegExp])[] = [
  ['azurite/package.json', /^ {2}"version": "(.+)",$/m],
  ['azurite/package.json', /"tanzanite": "(.+)"/],
  ['java/pom.xml', /^ {2}<version>(.+)<\/version>$/m],
  ['java/src/main/resources/tanzanite/releases.json', /"version": "([^"]+)"/],
  ['../examples/java/pom.xml', /<artifactId>tanzanite<\/artifactId>\s*<version>(.+)<\/version>/],
  ['../scripts/action/releases.json', /"version": "([^"]+)"/],
  ['go/tanzanite.go', /^const Version = "(.+)"$/m],
  ['go/releases.json', /"version": "([^"]+)"/],
  ['python/src/tanzanite_emulator/_version.py', /^VERSION = "(.+)"$/m],
  ['python/src/tanzanite_emulator/releases.json', /^\{ "version": "(.+?)"/m],
];

describe('The version of this package', () => {
  it.each(places)('is in packages/%s in the form %s', (file, pattern) => {
    expect(pattern.exec(readFileSync(join(packages, file), 'utf8'))?.[1]).toBe(version);
  });
});

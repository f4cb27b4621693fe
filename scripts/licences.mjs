import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const legalFile = /^(licen[cs]e|notice|copying|copyright|third[-_]?party)/i;
/** Licence texts for packages that do not contain their own. */
const own = join(import.meta.dirname, 'licence-texts');

/** The licences and notices of packages, as one text. Throws if a package has no licence. */
export function collectLicences(packages) {
  return packages.map(legalText).join(`\n${'-'.repeat(80)}\n\n`);
}

function legalText({ folder, name, version }) {
  const shipped = readdirSync(folder)
    .filter((file) => legalFile.test(file))
    .sort()
    .map((file) => join(folder, file));
  const added = join(own, `${name.replace('/', '-')}.txt`);
  const files = shipped.length > 0 ? shipped : [added].filter(existsSync);
  if (files.length === 0) throw new Error(`${name} ${version} comes without a licence: add its text as ${added}`);
  return `${name} ${version}\n\n${files.map((file) => readFileSync(file, 'utf8')).join('\n')}`;
}

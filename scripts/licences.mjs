import { readdirSync, readFileSync } from 'node:fs';

const packageFolder = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** The licences of the packages that the given module files belong to, as one text. */
export function collectLicences(moduleFiles) {
  const folders = new Set(moduleFiles.map((file) => packageFolder.exec(file)?.[1]).filter((folder) => folder));
  return [...folders]
    .sort()
    .map(licenceOf)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? `Licence: ${license}\n` : readFileSync(`${folder}/${file}`, 'utf8');
  return `${name} ${version}\n\n${text}`;
}

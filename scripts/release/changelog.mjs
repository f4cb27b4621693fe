// The section of a version in CHANGELOG.md, which is the text of its release.

/** GitHub's own limit, in characters. */
const textCharsMax = 125_000;

/** Throws if there is no section for the version, or if it cannot be released. The message is a sentence. */
export function sectionOf(changelog, version) {
  const lines = changelog.split(/\r?\n/);
  const starts = lines.flatMap((line, at) => (isHeadingOf(line, version) ? [at] : []));
  if (starts.length === 0) throw new Error(unreleased(lines, version) ?? `CHANGELOG.md has no section ## ${version}`);
  if (starts.length > 1) throw new Error(`CHANGELOG.md has ${starts.length} sections ## ${version}`);
  const rest = lines.slice(starts[0] + 1);
  const end = rest.findIndex((line) => line.startsWith('## '));
  const text = rest
    .slice(0, end === -1 ? undefined : end)
    .join('\n')
    .trim();
  if (text === '') throw new Error(`the section ## ${version} of CHANGELOG.md is empty`);
  if (text.length > textCharsMax) {
    throw new Error(
      `the section ## ${version} of CHANGELOG.md has ${text.length} characters, and a release takes ${textCharsMax}`,
    );
  }
  return `${text}\n`;
}

/** `## 1.2.0`, `## [1.2.0] - 2026-01-01`, `## 1.2.0: what it is`. */
function isHeadingOf(line, version) {
  const [, named] = /^## \[?([^\s\]:]+)\]?(?=$|[\s:])/.exec(line) ?? [];
  return named === version;
}

function unreleased(lines, version) {
  const found = lines.find((line) => /^## \[?unreleased\b/i.test(line) && line.includes(version));
  return found && `CHANGELOG.md calls the section of ${version} unreleased: name it ## ${version}`;
}

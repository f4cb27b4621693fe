// Reads the report of `npm audit --json` from standard input. Exits with 1 if the report contains an advisory of high
// or critical severity. Advisories for development packages count too. Some registries have no advisories and give no
// report. In this case, the script prints one line and exits with 0, or with 1 if AUDIT_REQUIRED is set.
import { text } from 'node:stream/consumers';

const severe = ['high', 'critical'];
const report = parse(await text(process.stdin));

if (report?.metadata?.vulnerabilities === undefined) {
  console.log(`audit skipped, the registry gives no report: ${report?.message ?? 'no answer'}`);
  process.exitCode = process.env.AUDIT_REQUIRED ? 1 : 0;
} else {
  const found = Object.values(report.vulnerabilities).filter(({ severity }) => severe.includes(severity));
  for (const { name, severity, range, via } of found) {
    const titles = via.map((cause) => (typeof cause === 'string' ? `through ${cause}` : `${cause.title} ${cause.url}`));
    console.error(`${severity}: ${name} ${range}: ${titles.join('; ')}`);
  }
  const { total } = report.metadata.vulnerabilities;
  console.log(
    `audit: ${report.metadata.dependencies.total} packages, ${total} advisories, ${found.length} high or critical`,
  );
  process.exitCode = found.length > 0 ? 1 : 0;
}

function parse(json) {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

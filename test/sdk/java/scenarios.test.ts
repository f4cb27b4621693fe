// Tests azure-data-tables for Java, unmodified, at the version that pom.xml pins. The program is
// scenarios/Scenarios.java.
import { delimiter } from 'node:path';
import { describeSmoke, runTool } from '../../support/run-checks.ts';
import { scenariosOf } from '../../support/sdk-scenarios.ts';
import { fetchJars, javaFolder } from './jars.ts';

// If Java, Maven or the jars are missing, the test prints one line and is skipped.
const classPath = await fetchJars().catch((error: Error) => {
  console.warn(`test/sdk/java: skipped, ${error.message.split('\n', 1)[0]}`);
});

const classes = '.cache/scenarios';

describeSmoke({
  title: 'azure-data-tables for Java',
  tool: classPath === undefined ? undefined : ['javac', '-version'],
  expected: scenariosOf('java'),
  async prepare() {
    const sources = ['-encoding', 'UTF-8', 'scenarios/Scenarios.java', '-sourcepath', 'scenarios'];
    await runTool({
      command: 'javac',
      args: ['-cp', classPath ?? '', '-d', classes, ...sources],
      cwd: javaFolder,
    });
    const args = ['-XX:TieredStopAtLevel=1', '-cp', `${classPath}${delimiter}${classes}`, 'Scenarios'];
    return { command: 'java', args, cwd: javaFolder };
  },
});

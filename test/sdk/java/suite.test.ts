import { delimiter } from 'node:path';
import { describeExecSuite } from '../../support/exec-suite.ts';
import { runTool } from '../../support/run-checks.ts';
import { fetchJars, javaFolder } from './jars.ts';

// If Java, Maven or the jars are missing, the test prints one line and is skipped.
const classPath = await fetchJars().catch((error: Error) => {
  console.warn(`test/sdk/java: skipped, ${error.message.split('\n', 1)[0]}`);
});

const classes = '.cache/classes';

describeExecSuite({
  title: 'a program of Java',
  tool: classPath === undefined ? undefined : ['javac', '-version'],
  async prepare() {
    const compile = ['-cp', classPath ?? '', '-d', classes, 'Suite.java'];
    await runTool({ command: 'javac', args: compile, cwd: javaFolder });
    // Each run is short, so the second compiler would cost more than it saves.
    const args = ['-XX:TieredStopAtLevel=1', '-cp', `${classPath}${delimiter}${classes}`, 'Suite'];
    return { command: 'java', args, cwd: javaFolder };
  },
  failureCode: 1,
});

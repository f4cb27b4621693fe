import { delimiter } from 'node:path';
import { describeExecSuite } from '../../support/exec-suite.ts';
import { runTool } from '../../support/run-checks.ts';
import { fetchJars, javaFolder } from './jars.ts';

// Skipped, in one line, where Java, Maven or the jars are missing.
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
    // Each run is short: the second compiler costs more than it saves.
    const args = ['-XX:TieredStopAtLevel=1', '-cp', `${classPath}${delimiter}${classes}`, 'Suite'];
    return { command: 'java', args, cwd: javaFolder };
  },
  failureCode: 1,
});

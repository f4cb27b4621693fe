import { describeExecSuite } from '../../support/exec-suite.ts';
import { fetchJars, javaFolder } from './jars.ts';

// Skipped, in one line, where Java, Maven or the jars are missing.
const classPath = await fetchJars().catch((error: Error) => {
  console.warn(`test/sdk/java: skipped, ${error.message.split('\n', 1)[0]}`);
});

describeExecSuite({
  title: 'a program of Java',
  tool: classPath === undefined ? undefined : ['java', '-version'],
  prepare: async () => ({ command: 'java', args: ['-cp', classPath ?? '', 'Suite.java'], cwd: javaFolder }),
  failureCode: 1,
});

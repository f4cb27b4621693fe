// Runs a block of a page: a program, or tests, in some language.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Block } from './docs-blocks.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const sdk = join(root, 'test/sdk');

/** The tool that runs a block, and the requirements that it may lack. */
interface Runner {
  readonly command: (file: string) => readonly [string, ...string[]];
  readonly file: string;
  readonly program: (text: string) => string;
  /** Why the tool cannot run here, if something is missing. */
  readonly lacks: (text: string) => string | undefined;
}

const python = join(sdk, 'python/.venv/bin/python');
const jars = join(sdk, 'java/.cache/jars');

const programs: Readonly<Record<string, Runner>> = {
  sh: {
    command: (file) => ['sh', '-eu', file],
    file: 'block.sh',
    program: (text) => text,
    lacks: (text) => {
      const missing = ['curl', 'openssl', 'sqlite3'].find(
        (tool) => new RegExp(`(^|[\\s|($])${tool} `, 'm').test(text) && spawnSync(tool, ['--version']).error,
      );
      return missing && `${missing} is not installed`;
    },
  },
  js: {
    command: (file) => [process.execPath, file],
    file: 'block.mjs',
    program: (text) =>
      /(const|let) (connectionString|\{ connectionString)/.test(text)
        ? text
        : `const connectionString = process.env.TANZANITE_CONNECTION_STRING;\n${text}`,
    lacks: () => undefined,
  },
  python: {
    command: (file) => [python, file],
    file: 'block.py',
    program: (text) => `import os\nconnection_string = os.environ["TANZANITE_CONNECTION_STRING"]\n${text}`,
    lacks: () =>
      existsSync(join(sdk, 'python/.venv/requirements.sha256')) ? undefined : 'test/sdk/python is not installed',
  },
  go: {
    command: (file) => ['go', 'run', '-mod=readonly', file],
    file: 'block.go',
    program: goProgram,
    lacks: lackOfGo,
  },
  java: {
    command: (file) => ['java', '-cp', join(jars, '*'), file],
    file: 'Block.java',
    program: javaProgram,
    lacks: () => (existsSync(join(sdk, 'java/.cache/pom.sha256')) ? undefined : 'test/sdk/java has no jars'),
  },
};

interface Suite extends Runner {
  /** Matches a block that contains tests. */
  readonly pattern: RegExp;
}

/** Tests that use the packages of this repository. The language's test runner runs them. */
const suites: Readonly<Record<string, Suite>> = {
  python: {
    pattern: /^def test_/m,
    command: (file) => [pythonOfPackage() ?? 'python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider', file],
    file: 'test_block.py',
    program: (text) => text,
    lacks: () => (pythonOfPackage() ? undefined : 'packages/python is not installed'),
  },
  go: {
    pattern: /^func Test/m,
    command: (file) => ['go', 'test', '-count=1', '-mod=readonly', file],
    file: 'block_test.go',
    program: (text) => text,
    lacks: lackOfGo,
  },
  java: {
    pattern: /^ *@Test$/m,
    command: (file) => ['sh', '-euc', runJavaTests, 'sh', file],
    file: 'PetsTest.java',
    program: (text) => text,
    lacks: () => (javaConsole() ? undefined : 'test/sdk/java has no jar of JUnit'),
  },
};

/** The runner of a block, or undefined if nothing can run it. */
export function runnerOf({ language, text }: Pick<Block, 'language' | 'text'>): Runner | undefined {
  const suite = suites[language];
  return suite?.pattern.test(text) ? suite : programs[language];
}

/** The Python environment that packages/python/check.py made, for any version of Python. */
function pythonOfPackage(): string | undefined {
  const folder = join(root, 'packages/python');
  const environment = readdirSync(folder).find((name) => existsSync(join(folder, name, 'stamp')));
  return environment && join(folder, environment, 'bin/python');
}

function lackOfGo(): string | undefined {
  return existsSync(join(sdk, 'go/.cache/smoke')) ? undefined : 'test/sdk/go is not built';
}

function javaConsole(): string | undefined {
  const names = existsSync(jars) ? readdirSync(jars) : [];
  const name = names.find((one) => one.startsWith('junit-platform-console-standalone-'));
  return name && join(jars, name);
}

// This script compiles the package together with the test, so that neither an earlier build nor Maven is needed. The
// flags halve the time of short runs.
const runJavaTests = `
mkdir -p classes
javac -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -proc:none -d classes -cp '${jars}/*' $(find '${root}packages/java/src/main/java' -name '*.java') "$1"
java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -jar '${jars}/'junit-platform-console-standalone-*.jar execute --disable-banner --fail-if-no-tests \\
  -cp "classes:${root}packages/java/src/main/resources:$(echo '${jars}/'*.jar | tr ' ' :)" --select-class PetsTest
`;

function javaProgram(text: string): string {
  return `import com.azure.data.tables.*;
import com.azure.data.tables.models.*;
import java.util.*;

class Block {
  public static void main(String[] arguments) throws Exception {
    String connectionString = System.getenv("TANZANITE_CONNECTION_STRING");
${text}
    System.exit(0);
  }
}
`;
}

function goProgram(text: string): string {
  return `package main

import (
	"context"
	"os"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

func main() {
	ctx, connectionString := context.Background(), os.Getenv("TANZANITE_CONNECTION_STRING")
${text}
	if err != nil {
		panic(err)
	}
}
`;
}

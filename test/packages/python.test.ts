// The first run installs what the package's tests need. To use another Python: TANZANITE_TEST_PYTHON=python3.9.
import { describePackage } from './language-package.ts';

const python = process.env['TANZANITE_TEST_PYTHON'] ?? 'python3';
const folder = 'packages/python';

describePackage(
  'The package for Python',
  [python, '--version'],
  [
    { title: 'passes mypy --strict', folder, words: [python, 'check.py', 'types'] },
    { title: 'passes its own tests', folder, words: [python, 'check.py', 'tests'] },
    { title: 'gives accounts to the example', folder, words: [python, 'check.py', 'example'] },
    { title: 'does what its page shows', folder, words: [python, 'check.py', 'docs'] },
  ],
);

// Records for each test which evidence marks belong to the code that the test runs. Writes one line of JSON for each
// test to the file that TANZANITE_MARKS_MET names.
import { appendFileSync } from 'node:fs';
import { afterEach } from 'vitest';

const met = new Set();
globalThis.evidenceMet = (key) => {
  met.add(key);
};

afterEach(({ task }) => {
  const titles = [];
  for (let at = task; at !== undefined; at = at.suite) titles.unshift(at.name);
  const line = { file: task.file.name, title: titles.filter((title) => title !== '').join(': '), marks: [...met] };
  appendFileSync(process.env.TANZANITE_MARKS_MET, `${JSON.stringify(line)}\n`);
  met.clear();
});

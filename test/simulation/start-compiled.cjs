// Runs a bundle of service-process.ts with the code that V8 compiled in an earlier process. A simulated process starts
// several times for each seed, and would otherwise spend half of its time compiling. With SIMULATION_COMPILES, it
// stores the compiled code at its end.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname } = require('node:path');
const { Script } = require('node:vm');

const file = process.argv[1].replace('start-compiled', 'service-process');
const compiled = `${file}.compiled`;
const source = `(function (exports, require, module, __filename, __dirname) { ${readFileSync(file, 'utf8')}\n})`;
const script = new Script(source, {
  filename: file,
  ...(existsSync(compiled) && { cachedData: readFileSync(compiled) }),
});
if (process.env.SIMULATION_COMPILES) process.on('exit', () => writeFileSync(compiled, script.createCachedData()));
const module_ = { exports: {} };
script.runInThisContext()(module_.exports, createRequire(file), module_, file, dirname(file));

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

/** Starts the `chromium` that is on the PATH. */
export const openBrowser = () => chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });

function findChromium() {
  const files = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, 'chromium'));
  const found = files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error('there is no chromium on the PATH');
  return found;
}

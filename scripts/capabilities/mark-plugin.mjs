import { relative } from 'node:path';
import { instrument, marksIn } from './evidence-marks.mjs';
import { keysOf } from './mark-keys.mjs';

/**
 * Returns a plugin that inserts calls of `globalThis.evidenceMet` into the sources: one call at the beginning of the
 * code of each mark. The call passes the key of the mark.
 */
export function markPlugin(root) {
  return {
    name: 'evidence-marks',
    enforce: 'pre',
    transform(code, id) {
      const file = relative(root, id.split('?')[0]).replaceAll('\\', '/');
      const marks = /^src\/.*\.ts$/.test(file) ? marksIn(file, code) : [];
      if (marks.length === 0) return null;
      const keys = keysOf(marks);
      return { code: instrument(code, marks, (mark) => keys[marks.indexOf(mark)]), map: null };
    },
  };
}

import { relative } from 'node:path';
import { instrument, readMarks } from './evidence-marks.mjs';
import { keysOf } from './mark-keys.mjs';

/** Puts a call into the sources where the code of each mark begins, with the key of the mark. */
export function markPlugin(root) {
  const marks = readMarks(root);
  const keys = keysOf(marks);
  return {
    name: 'evidence-marks',
    enforce: 'pre',
    transform(code, id) {
      const file = relative(root, id.split('?')[0]).replaceAll('\\', '/');
      const own = marks.filter((mark) => mark.file === file);
      if (own.length === 0) return null;
      return { code: instrument(code, own, (mark) => keys[marks.indexOf(mark)]), map: null };
    },
  };
}

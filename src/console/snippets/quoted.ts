// Texts as literals of several languages. Invisible characters, and characters that reverse text, are escaped.

const hidden = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** For JSON, JavaScript and C#. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(hidden, (char) =>
    [...Array(char.length).keys()].map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}

export function quotedPython(text: string): string {
  return JSON.stringify(text).replace(hidden, (char) => {
    const hex = (char.codePointAt(0) ?? 0).toString(16);
    return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
  });
}

/** For a POSIX shell. */
export const quotedShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

// Finds names that several files of src export. Each name should have one meaning, so that a search for the name finds
// its only definition.
import ts from 'typescript';

/** Name → why several files may export it. The check fails for an entry that is not needed. */
const allowed = {
  useEmulator: 'is what users import, whatever their test runner',
  restoreBeforeEach: 'is what users import, whatever their test runner',
};

/**
 * Returns the number of names, and a message for each violation. `sources` maps the files below `root` to their syntax
 * trees.
 */
export function checkExportedNames(sources, root) {
  const filesOf = new Map();
  for (const [file, source] of sources) {
    for (const name of new Set(exportedNames(source))) {
      filesOf.set(name, [...(filesOf.get(name) ?? []), `${root}/${file}`]);
    }
  }
  const faults = [...filesOf]
    .filter(([name, files]) => files.length > 1 && !(name in allowed))
    .map(([name, files]) => `one meaning per name: ${name} is exported by ${files.sort().join(', ')}`);
  for (const name of Object.keys(allowed)) {
    if ((filesOf.get(name)?.length ?? 0) < 2) faults.push(`one meaning per name: ${name} needs no exception`);
  }
  return { names: filesOf.size, faults };
}

/**
 * Returns the names that a file exports in its top-level declarations. Re-exports do not count, because the re-exported
 * names are declared in other files.
 */
const exportedNames = ({ statements }) =>
  statements.flatMap((statement) => {
    if (!statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (!ts.isVariableStatement(statement)) return statement.name ? [statement.name.text] : [];
    return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name));
  });

/** The names in a declaration: `name`, `{ one, other }` and `[one, other]`. */
function namesIn(name) {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : namesIn(element.name)));
}

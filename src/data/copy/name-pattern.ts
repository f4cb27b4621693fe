/** Whether a pattern such as `Or*` matches a table: `*` stands for any text, and case does not matter. */
export function fitsPattern(patterns: readonly string[]): (name: string) => boolean {
  if (patterns.length === 0) return () => true;
  const shapes = patterns.map((pattern) => {
    const parts = pattern.split('*').map((part) => part.replaceAll(/[^A-Za-z0-9]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`, 'i');
  });
  return (name) => shapes.some((shape) => shape.test(name));
}

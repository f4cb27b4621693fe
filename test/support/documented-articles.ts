import { parse } from 'yaml';

interface DescribedOperation {
  readonly operationId: string;
  /**
   * Whether the operation id is meant only for tools that read the OpenAPI document. If so, the documentation page
   * names the operation by its verb and path.
   */
  readonly 'x-id-only'?: boolean;
}

/** The names by which the documentation page lists the operations of an OpenAPI document in YAML. */
export function articlesOf(text: string): string[] {
  const { paths } = parse(text) as { paths: Record<string, Record<string, DescribedOperation>> };
  return Object.entries(paths).flatMap(([address, verbs]) =>
    Object.entries(verbs).flatMap(([verb, { operationId, 'x-id-only': isIdOnly }]) => {
      if (verb === 'parameters') return [];
      return isIdOnly ? `${verb}${address.replaceAll(/[^A-Za-z0-9_]+/g, '-')}` : operationId;
    }),
  );
}

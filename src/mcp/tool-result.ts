import type { CallToolResult } from '@modelcontextprotocol/server';
import { boundAnswer, type Mask } from './bounded-answer.ts';

/** The result of a tool. Many clients show a model only the text, so it repeats the structured content as JSON. */
export function toolResult(
  found: object,
  { mask, isError = false }: { readonly mask: Mask; readonly isError?: boolean },
): CallToolResult {
  const structuredContent = boundAnswer(found, mask) as Record<string, unknown>;
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
    ...(isError && { isError }),
  };
}

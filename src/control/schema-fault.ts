import type { FastifySchemaValidationError } from 'fastify/types/schema.js';

/** The first fault of a body as a sentence: which member it concerns and what is wrong with it. */
export function describeFault(fault: FastifySchemaValidationError | undefined, part: string): string {
  if (!fault) return `The ${part} is not as described.`;
  const { keyword, params, instancePath, message = 'is not as described' } = fault;
  const path = instancePath.slice(1).replaceAll('/', '.');
  const place = path === '' ? `The ${part}` : `"${path}"`;
  switch (keyword) {
    case 'required':
      return `${place} lacks "${params['missingProperty']}".`;
    case 'additionalProperties':
      return `${place} has "${params['additionalProperty']}", which means nothing here.`;
    case 'minProperties':
      return `${place} needs a member.`;
    case 'maxProperties':
      return `${place} takes ${params['limit']} member${params['limit'] === 1 ? '' : 's'} at most.`;
    case 'enum':
      return `${place} must be one of ${(params['allowedValues'] as readonly unknown[]).join(', ')}.`;
    default:
      return `${place} ${message}.`;
  }
}

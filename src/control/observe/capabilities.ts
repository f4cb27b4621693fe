import { type CapabilityChoice, capabilitySubjects, evidenceKinds, readCapabilities } from '../../data/capabilities.ts';
import type { ControlRoute } from '../control-route.ts';

const querySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    subject: { enum: capabilitySubjects },
    evidence: { enum: evidenceKinds },
    name: { type: 'string' },
  },
} as const;

/** GET /_emulator/capabilities: what is done as the service does it, how that is known, and which test shows it. */
export function capabilitiesRoute(): ControlRoute {
  return {
    method: 'GET',
    url: '/_emulator/capabilities',
    isPublic: true,
    schema: { querystring: querySchema },
    handler: ({ query }) => readCapabilities(query as CapabilityChoice),
  };
}

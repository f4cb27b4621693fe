import type { Target } from './target.ts';
import { addresses } from './targets/addresses.ts';
import { atom } from './targets/atom.ts';
import { batches } from './targets/batches.ts';
import { controlPlane } from './targets/control-plane.ts';
import { csv, ndjson } from './targets/files.ts';
import { filters } from './targets/filters.ts';
import { headers } from './targets/headers.ts';
import { json } from './targets/json.ts';
import { serviceXml } from './targets/service-xml.ts';
import { signatures } from './targets/signatures.ts';
import { bearerTokens } from './targets/tokens.ts';

export const targets: readonly Target[] = [
  filters,
  json,
  atom,
  batches,
  addresses,
  headers,
  signatures,
  bearerTokens,
  csv,
  ndjson,
  serviceXml,
  controlPlane,
];

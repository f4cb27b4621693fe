import type { FaultRule, FaultRuleReport } from '../../faults/fault-rule.ts';
import { UnusableRule } from '../../faults/fields.ts';
import { parseRules } from '../../faults/parse-rule.ts';
import { ControlError } from '../control-error.ts';
import type { ControlRoute, ControlTools } from '../control-route.ts';
import { faultsSchema } from './rule-schema.ts';

/** The parts of the emulator that the routes use. */
type FaultTools = Pick<ControlTools, 'faults'>;

const url = '/_emulator/faults';

/** The current rules. */
interface FaultList {
  /** The seed of random decisions. */
  readonly seed: number;
  /** In the order in which they are tried. */
  readonly rules: readonly FaultRuleReport[];
}

/** The routes of `/_emulator/faults`: the staged faults. */
export function faultRoutes(tools: FaultTools): readonly ControlRoute[] {
  return [
    { method: 'GET', url, handler: async (): Promise<FaultList> => listFaults(tools) },
    {
      method: 'POST',
      url,
      schema: { body: faultsSchema },
      // The rules are read by their own parser.
      validatorCompiler: () => () => true,
      async handler({ body }, reply) {
        const ids = await addFaultRules(() => parseRules(body), tools);
        void reply.code(201);
        return Array.isArray(body) ? { ids } : { id: ids[0], ids };
      },
    },
    { method: 'DELETE', url, handler: async () => ({ removed: await tools.faults.clear() }) },
    {
      method: 'DELETE',
      url: `${url}/:id`,
      async handler({ params }) {
        const { id } = params as { id: string };
        if (!(await tools.faults.remove(id)))
          throw new ControlError('FaultNotFound', `There is no rule with the id ${id}.`);
        return { id };
      },
    },
  ];
}

function listFaults({ faults }: FaultTools): FaultList {
  return { seed: faults.seed, rules: faults.list() };
}

/** Adds rules and returns their ids. If a rule is wrong, throws InvalidRequest and adds none. */
export async function addFaultRules(
  read: () => readonly FaultRule[],
  { faults }: FaultTools,
): Promise<readonly string[]> {
  try {
    return await faults.add(read());
  } catch (error) {
    throw error instanceof UnusableRule ? new ControlError('InvalidRequest', error.message) : error;
  }
}

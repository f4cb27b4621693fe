import { parseControlToken } from '../auth/control-token.ts';
import type { Environment } from './environment.ts';
import { UnusableOption } from './unusable-option.ts';

/** The token of the flag, or else of the environment. Throws UnusableOption, which never repeats it. */
export function readControlToken(flag: string | undefined, environment: Environment): string | undefined {
  const fromEnvironment = environment['TANZANITE_CONTROL_TOKEN'];
  const text = flag ?? (fromEnvironment === '' ? undefined : fromEnvironment);
  if (text === undefined) return undefined;
  try {
    return parseControlToken(text);
  } catch (error) {
    const source = flag === undefined ? 'TANZANITE_CONTROL_TOKEN' : '--control-token';
    throw new UnusableOption(`${source} ${error instanceof Error ? error.message : String(error)}.`);
  }
}

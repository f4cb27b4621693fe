import fc from 'fast-check';
import { expect } from 'vitest';
import { controlErrors } from '../../../src/control/control-error.ts';
import { ask, type ControlAnswer, codeOf } from '../../support/control-plane.ts';
import type { Service } from '../../support/service.ts';
import { type ControlCall, describedCall } from '../described-requests.ts';
import { controlToken, expectNoFault, secretKey, startFuzzed } from '../emulator.ts';
import { type Outcome, target } from '../target.ts';

/** This target has its own emulator, because its faults, clock changes and resets would disturb other targets. */
let started: Promise<Service> | undefined;

async function start(): Promise<Service> {
  const service = await startFuzzed();
  await service.createTable('controlled');
  await service.insert('controlled', { A: 1 });
  return service;
}

const credentials = {
  token: { Authorization: `Bearer ${controlToken}` },
  none: {},
  wrong: { Authorization: 'Bearer x' },
};

/** Secrets in the forms in which an answer could contain them. */
const secrets = [
  secretKey,
  secretKey.replaceAll('+', '-').replaceAll('/', '_'),
  encodeURIComponent(secretKey),
  controlToken,
];

/** Whether the error has the form of Microsoft Entra, which the token issuer uses. */
const isEntra = ({ json }: ControlAnswer): boolean =>
  typeof (json as { error?: unknown } | undefined)?.error === 'string';

/** The error code of an answer of the Model Context Protocol: JSON-RPC 2.0, with negative numbers as codes. */
const jsonRpcCodeOf = ({ json }: ControlAnswer): unknown =>
  (json as { jsonrpc?: unknown } | undefined)?.jsonrpc === '2.0'
    ? (json as { error?: { code?: unknown } }).error?.code
    : undefined;

function outcomeOf(call: ControlCall, answer: ControlAnswer): Outcome {
  expectNoFault();
  const { status, text, headers } = answer;
  expect(status, text.slice(0, 300)).toBeLessThan(500);
  const all = `${text}\n${JSON.stringify(headers)}`;
  for (const secret of secrets) expect(all.includes(secret), `${call.method} ${call.path} shows a secret`).toBe(false);
  if (status < 400) return 'accepted';
  const jsonRpcCode = jsonRpcCodeOf(answer);
  if (jsonRpcCode !== undefined) {
    expect(call.path).toMatch(/^\/_emulator\/mcp(?:[/?]|$)/);
    expect(jsonRpcCode).toBeLessThan(0);
    return 'refused';
  }
  const code = codeOf(answer) as keyof typeof controlErrors | undefined;
  if (code !== undefined && !isEntra(answer)) expect([code, controlErrors[code]]).toEqual([code, status]);
  return 'refused';
}

/** A few requests that are sent one after the other. */
const inputs = fc.array(describedCall(), { minLength: 1, maxLength: 4 });

async function check(calls: readonly ControlCall[]): Promise<Outcome> {
  started ??= start();
  const { origin } = await started;
  const begun = { load: 'x', export: 'x' };
  const outcomes: Outcome[] = [];
  for (const call of calls) {
    const { method, contentType, body, credentials: kind } = call;
    const path = call.path.replaceAll('{load}', begun.load).replaceAll('{export}', begun.export);
    const type = body === undefined ? {} : { 'Content-Type': contentType };
    const answer = await ask(origin, { method, path, headers: { ...type, ...credentials[kind] }, body });
    outcomes.push(outcomeOf(call, answer));
    Object.assign(begun, answer.json);
  }
  return outcomes.includes('accepted') ? 'accepted' : 'refused';
}

export const controlPlane = target({ name: 'control-plane', share: 2, inputs, check });

import { type AdvisorReport, isAtLeast } from '../advisor/report.ts';
import type { CommandContext } from './command-context.ts';
import { startProcess } from './command-process.ts';
import { type EmulatorPlan, environmentOf, planEmulator, startPlanned } from './emulator-for-command.ts';
import type { ExecFlags } from './exec-flags.ts';
import { exitCodeFindings, UnusableOption } from './exit-codes.ts';
import { closeGoneTerminals } from './gone-terminals.ts';
import { passSignals } from './pass-signals.ts';

/** Runs a command with an emulator, and ends this process with its exit code. Throws UnusableOption. */
export async function execCommand(words: readonly string[], flags: ExecFlags, context: CommandContext): Promise<never> {
  const { notice, environment } = context;
  const plan = planEmulator(flags, context);
  refuseWithoutAdvisor(flags, plan);
  let report: AdvisorReport | undefined;
  const emulator = await startPlanned(plan, {
    notice,
    onInfo: notice,
    async onStopped(advisor) {
      report = await advisor?.report();
    },
  });
  const { account } = plan;
  const command = startProcess(words, {
    environment: environmentOf(emulator, { account, names: flags.env, environment }),
    stdio: 'inherit',
  });
  process.on('exit', closeGoneTerminals);
  const signals = passSignals(command);
  const { exitCode, failure } = await command.ended;
  signals.release();
  await emulator.close();
  if (failure !== undefined) notice(failure);
  else if (report !== undefined) await printFindings(report);
  process.exit(exitCode === 0 && isFailed(report, flags) ? exitCodeFindings : exitCode);
}

function refuseWithoutAdvisor({ failOn }: ExecFlags, { settings }: EmulatorPlan): void {
  if (failOn === undefined || settings.advisor) return;
  throw new UnusableOption(`--fail-on ${failOn} needs the advisor, which the settings turn off.`);
}

/** Prints the findings. If the reader of standard error is gone, the process still ends. */
async function printFindings(report: AdvisorReport): Promise<void> {
  const { renderFindings } = await import('../advisor/render-text.ts');
  const text = renderFindings(report, process.stderr.columns);
  await new Promise<void>((resolve) => process.stderr.write(`tanzanite: ${text}`, () => resolve()));
}

const isFailed = (report: AdvisorReport | undefined, { failOn }: ExecFlags): boolean =>
  failOn !== undefined && report?.findings.some(({ severity }) => isAtLeast(severity, failOn)) === true;

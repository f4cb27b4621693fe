import { type CommandProcess, endingSignals } from './command-process.ts';

export interface PassedSignals {
  /** The first signal that was passed on. */
  readonly received: NodeJS.Signals | undefined;
  /** Stops passing signals on. Call it when the command has ended. */
  release(): void;
}

/** Passes signals on to a command, and kills it when this process ends. */
export function passSignals(command: CommandProcess): PassedSignals {
  let received: NodeJS.Signals | undefined;
  const pass = (signal: NodeJS.Signals): void => {
    received ??= signal;
    command.pass(signal);
  };
  const kill = (): void => command.kill();
  for (const signal of endingSignals) process.on(signal, pass);
  process.on('exit', kill);
  return {
    get received() {
      return received;
    },
    release() {
      for (const signal of endingSignals) process.off(signal, pass);
      process.off('exit', kill);
    },
  };
}

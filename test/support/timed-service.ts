import { defaultEmulatorSettings, runEmulator } from '../../src/emulator.ts';
import { openDelayedReference } from './delayed-store.ts';
import { ManualTime } from './manual-time.ts';
import { keepsFiles, type Service, serviceAt } from './service.ts';

/**
 * Starts an emulator in memory. The test decides when the emulator's deadlines pass. The emulator stops after the last
 * test of the file.
 */
export async function startTimedService(): Promise<{ readonly service: Service; readonly time: ManualTime }> {
  const time = new ManualTime();
  const emulator = await runEmulator({
    ...defaultEmulatorSettings,
    ...(keepsFiles ? {} : { openStore: openDelayedReference }),
    port: 0,
    machineTime: time,
  });
  return { service: serviceAt(emulator.url, () => emulator.close()), time };
}

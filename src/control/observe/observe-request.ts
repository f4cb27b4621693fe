import type { EmulatorLog } from '../../model/emulator-log.ts';
import { isOfTool, type RequestRecord } from '../../model/request-record.ts';
import type { ControlTools } from '../control-route.ts';

type Observers = Pick<ControlTools, 'traffic' | 'requests' | 'heat' | 'advisor' | 'capacity'>;

export interface ObserveOptions {
  readonly onRequest?: (record: RequestRecord) => void;
  readonly log?: EmulatorLog;
}

/** Passes the record of an answered request to all its readers. Errors that they throw go to the log. */
export function observeWith(
  { traffic, requests, heat, advisor, capacity }: Observers,
  { onRequest, log }: ObserveOptions,
): (record: RequestRecord) => void {
  return (record) => {
    capacity.recordAnswered(record);
    traffic.count(record);
    requests.publish(record);
    try {
      // The requests of a person who uses the console or a command show nothing about an application.
      if (!isOfTool(record)) {
        heat.count(record);
        advisor?.observe(record);
      }
    } catch (err) {
      log?.error({ err, requestId: record.requestId }, 'the heat map or the advisor failed');
    }
    try {
      onRequest?.(record);
    } catch (err) {
      log?.error({ err, requestId: record.requestId }, 'onRequest failed');
    }
  };
}

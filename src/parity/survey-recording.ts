import { type Recorded, readRecording } from './read-recording.ts';

export interface RecordingSurvey {
  readonly requests: number;
  /** Total length of the request bodies to send. */
  readonly bytes: number;
}

/** Reads an entire recording, to find faults before anything is sent. Throws the same errors as `readRecording`. */
export async function surveyRecording(path: string): Promise<RecordingSurvey> {
  let [requests, bytes] = [0, 0];
  for await (const item of readRecording(path)) {
    if (item.kind !== 'exchange') continue;
    requests += 1;
    bytes += bytesIn(item);
  }
  return { requests, bytes };
}

const bytesIn = ({ exchange: { request } }: Extract<Recorded, { readonly kind: 'exchange' }>): number =>
  Buffer.byteLength(request.postData?.text ?? '') + request.url.length;

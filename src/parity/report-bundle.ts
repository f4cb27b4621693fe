// Selects requests of a recording for a bug report. The result is a recording without personal data, and can be
// repeated like any other recording.

import type { DataChange, Exchange, NamedValue, RecordedBody, RecordingHead } from './exchange.ts';
import { readRecording } from './read-recording.ts';
import { createSecretRemover, type SecretRemover } from './remove-secrets.ts';
import { ValueReplacer } from './replace-values.ts';

export interface ReportBundle {
  /** Lines of a recording. */
  readonly lines: readonly string[];
  readonly requests: number;
}

/** Limit: people should be able to look through a report before they publish it. */
export const reportRequestsMax = 500;

/** The chosen requests, up to the limit. Throws the same errors as `readRecording`. */
export async function bundleReport(path: string, isChosen: (number: number) => boolean): Promise<ReportBundle> {
  const replacer = new ValueReplacer();
  const remover = createSecretRemover([]);
  let seen = 0;
  for await (const item of readRecording(path)) {
    if (item.kind !== 'exchange' || !isChosen(item.number) || ++seen > reportRequestsMax) continue;
    replacer.see(withoutSecrets(item.exchange, remover));
  }
  const lines: string[] = [];
  let requests = 0;
  for await (const item of readRecording(path)) {
    if (item.kind === 'head') lines.push(JSON.stringify(ownHead(item.head)));
    else if (item.kind === 'change') lines.push(JSON.stringify(changeOf(item, replacer)));
    else if (item.kind === 'exchange' && isChosen(item.number) && requests < reportRequestsMax) {
      requests += 1;
      lines.push(JSON.stringify(replacer.replace(withoutSecrets(item.exchange, remover))));
    }
  }
  return { lines, requests };
}

/** Removes secrets, which the archive of another program may contain. */
function withoutSecrets(exchange: Exchange, remover: SecretRemover): Exchange {
  const { request, response } = exchange;
  const headers = (given: readonly NamedValue[]): NamedValue[] =>
    given.map(({ name, value }) => ({ name, value: remover.header(name.toLowerCase())(value) }));
  const body = (given: RecordedBody): RecordedBody =>
    given.text === undefined || given.encoding === 'base64' ? given : { ...given, text: remover.text(given.text) };
  return {
    ...exchange,
    request: {
      ...request,
      url: remover.text(request.url),
      headers: headers(request.headers),
      ...(request.postData && { postData: body(request.postData) }),
    },
    response: { ...response, headers: headers(response.headers), content: body(response.content) },
  };
}

/** The head with only the members that the emulator's own recordings have. */
function ownHead({ version, creator, _node, _platform, _settings }: RecordingHead): RecordingHead {
  const about = {
    ...(_node && { _node }),
    ...(_platform && { _platform }),
    ...(_settings && { _settings: shownSettings(_settings) }),
  };
  return { version, creator: { name: creator.name, version: creator.version }, ...about };
}

/** The settings that have the recorder's form: a text is one word. */
const shownSettings = (settings: object): NonNullable<RecordingHead['_settings']> =>
  Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]) =>
        /^[\w.-]{1,40}$/.test(name) && (['number', 'boolean'].includes(typeof value) || /^[a-z]{1,16}$/.test(value)),
    ),
  );

function changeOf(
  { account, table }: { readonly account: string; readonly table: string | undefined },
  replacer: ValueReplacer,
): DataChange {
  return { _dataChange: { account: replacer.account(account), ...(table === undefined ? {} : { table }) } };
}

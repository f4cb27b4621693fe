// Opens the certificate of an emulator with `--https auto`: reads the certificate from a folder or makes a new one, and
// renews it while the emulator runs.

import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { EmulatorLog } from '../model/emulator-log.ts';
import type { Cancel, MachineTime } from '../model/time.ts';
import { isWildcardAddress } from './certificate-names.ts';
import { type HttpsCertificates, openCertificates } from './https-certificates.ts';
import type { Pair } from './named-pair.ts';
import { publish } from './public-file.ts';

export interface HttpsOptions {
  readonly host: string;
  readonly location?: string | undefined;
  readonly httpsDir?: string | undefined;
  readonly httpsName?: string | undefined;
  readonly httpsAuthority?: string | undefined;
  /** The machine's clock, because clients check the dates of a certificate against theirs. */
  readonly machineTime: MachineTime;
  readonly log?: EmulatorLog | undefined;
}

/** What a client needs for HTTPS. */
export interface ServedHttps {
  /** `https://localhost:10002` */
  readonly url: string;
  /** The certificate of the authority, as PEM. */
  readonly authority: string;
  /** The path of a file with this certificate; undefined if it is only in memory. */
  readonly authorityFile: string | undefined;
}

export interface Https extends Omit<ServedHttps, 'url'> {
  readonly served: Pair;
  /** What a client needs for HTTPS on this port. */
  at(port: number): ServedHttps;
  /** Checks once a day whether the certificate must be renewed, and calls `replace` with a new one. */
  keepFresh(replace: (pair: Pair) => void): Cancel;
}

/**
 * Opens or makes the certificates. Throws PrivateFileFault for a folder that cannot be used, and an Error with a
 * one-line message for any other problem.
 */
export async function openHttps(options: HttpsOptions): Promise<Https> {
  const { host, httpsName = '', httpsAuthority, machineTime, log } = options;
  const certificates = await openCertificates({
    folder: folderOf(options),
    names: { given: httpsName, listenHost: host, machine: hostname() },
    nowMs: machineTime.nowMs(),
  });
  for (const note of certificates.notes) log?.info({}, `https: ${note}`);
  const { authority, authorityFile, served } = certificates;
  const published = httpsAuthority === undefined ? undefined : resolve(httpsAuthority);
  if (published !== undefined) publish(published, authority);
  const trusted = { authority, authorityFile: published ?? authorityFile };
  return {
    ...trusted,
    served,
    at: (port) => ({ ...trusted, url: `https://${hostInUrl(host)}:${port}` }),
    keepFresh: (replace) => renewDaily(certificates, { machineTime, log, replace }),
  };
}

/**
 * Returns the host as it is written in an address. A wildcard address becomes `localhost`, because certificates do not
 * contain wildcard addresses.
 */
function hostInUrl(host: string): string {
  if (isWildcardAddress(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** The folder of the files; undefined if everything is in memory. */
export function folderOf({ location, httpsDir }: Pick<HttpsOptions, 'location' | 'httpsDir'>): string | undefined {
  if (httpsDir !== undefined) return resolve(httpsDir);
  return location === undefined ? undefined : join(resolve(location), 'https');
}

const dayMs = 86_400_000;

interface Renewal extends Pick<HttpsOptions, 'machineTime' | 'log'> {
  readonly replace: (pair: Pair) => void;
}

function renewDaily(opened: HttpsCertificates, renewal: Renewal): Cancel {
  const { machineTime, log, replace } = renewal;
  let isOver = false;
  let certificates = opened;
  const look = async (): Promise<void> => {
    const nowMs = machineTime.nowMs();
    if (nowMs < certificates.renewalMs) return;
    try {
      certificates = await certificates.renew(nowMs);
      if (isOver) return;
      replace(certificates.served);
      log?.info({}, 'https: renewed the certificate');
    } catch (error) {
      log?.warn({ err: error }, 'https: cannot renew the certificate: the next attempt is tomorrow');
    }
  };
  let cancel: Cancel = () => undefined;
  const wait = (): void => {
    cancel = machineTime.after(dayMs, () => void look().finally(() => isOver || wait()));
  };
  wait();
  return () => {
    isOver = true;
    cancel();
  };
}

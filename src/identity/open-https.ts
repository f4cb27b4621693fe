// What an emulator with `--https auto` needs: the certificate, from its folder or made now, and its renewal while it runs.

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
  /** The clock of the machine: clients check the dates of a certificate by theirs. */
  readonly machineTime: MachineTime;
  readonly log?: EmulatorLog | undefined;
}

/** What a client needs. */
export interface ServedHttps {
  /** `https://localhost:10002` */
  readonly url: string;
  /** The certificate of the authority, PEM. */
  readonly authority: string;
  /** The path of a file with it; undefined in memory. */
  readonly authorityFile: string | undefined;
}

export interface Https extends Omit<ServedHttps, 'url'> {
  readonly served: Pair;
  /** What a client needs, once the port is known. */
  at(port: number): ServedHttps;
  /** Looks once a day whether the certificate is due, and passes a new one on. */
  keepFresh(replace: (pair: Pair) => void): Cancel;
}

/** Throws PrivateFileFault for a folder that cannot be used, and an Error that says what else is wrong, in one line. */
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

/** The wildcard address is in no certificate. */
function hostInUrl(host: string): string {
  if (isWildcardAddress(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** Where the files are; undefined for memory. */
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
      log?.warn({ err: error }, 'https: cannot renew the certificate; tomorrow is the next attempt');
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

import { ControlError } from '../control-error.ts';
import type { ControlRoute, ControlTools } from '../control-route.ts';

export interface CertificateAuthorityReport {
  /** The certificate of the authority, as PEM. */
  readonly certificate: string;
  /** The path of a file with the certificate on the emulator's machine; null if it is only in memory. */
  readonly file: string | null;
  /** The address for HTTPS. */
  readonly url: string;
}

/** GET /_emulator/certificate-authority: the certificate that a client must trust with `--https auto`. */
export function certificateAuthorityRoute({ https }: Pick<ControlTools, 'https'>): ControlRoute {
  return {
    method: 'GET',
    url: '/_emulator/certificate-authority',
    async handler(): Promise<CertificateAuthorityReport> {
      if (!https) throw new ControlError('HttpsOff', 'The emulator has no authority: start it with --https auto.');
      const { authority, authorityFile, url } = https;
      return { certificate: authority, file: authorityFile ?? null, url };
    },
  };
}

import type { RowsFor, Setting } from './setting.ts';

export interface CompatibilityOptions {
  /**
   * Which values of `x-ms-version` are accepted. `known`: the versions of the service. `newer`: also well-formed newer
   * versions. `any`: every value. Default: `any` with `loose`, otherwise `newer`.
   */
  readonly apiVersions?: 'known' | 'newer' | 'any';
  /**
   * Accept requests that the service is documented to refuse, if their meaning is clear (docs/differences.md). Default
   * false.
   */
  readonly loose?: boolean;
}

/** @internal */
export const compatibilityRows = {
  apiVersions: {
    kind: 'choice',
    default: 'newer',
    strict: 'known',
    defaultText: '`newer`; `any` with `loose`',
    choices: {
      known: 'the versions that the service has',
      newer: 'well-formed newer versions too',
      any: 'every value',
    },
    help: 'accept these values of x-ms-version',
  },
  loose: {
    kind: 'switch',
    flag: '-L, --loose',
    default: false,
    help: 'accept requests that the service is documented to refuse (docs/differences.md)',
  },
} as const satisfies RowsFor<CompatibilityOptions>;

/** Flags that are not options of the library: they set `apiVersions`. @internal */
export const versionFlags = {
  skipApiVersionCheck: {
    kind: 'switch',
    flag: '--skipApiVersionCheck',
    azuriteVariable: 'AZURITE_SKIP_API_VERSION_CHECK',
    default: false,
    help: 'accept any x-ms-version',
  },
  strictApiVersion: {
    kind: 'switch',
    flag: '--strict-api-version',
    default: false,
    strict: true,
    help: 'accept only an x-ms-version that the service is known to have',
  },
} as const satisfies Readonly<Record<string, Setting>>;

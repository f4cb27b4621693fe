import type { RowsFor } from './setting.ts';

export interface ProfileOptions {
  /**
   * A bundle of settings: `strict` is the service at its strictest, and `chaos` is `strict` with faults. Options that
   * are given override the profile. docs/settings.md lists the settings of each profile. Default: the profile
   * `default`, which leaves every setting at its own default.
   */
  readonly profile?: 'default' | 'strict' | 'chaos';
}

export type ProfileName = NonNullable<ProfileOptions['profile']>;

/** @internal */
export const profileRows = {
  profile: {
    kind: 'choice',
    flag: '--profile <name>',
    default: 'default',
    choices: {
      default: 'every setting has its default',
      strict:
        'the service at its strictest: it accepts only its own versions, keeps the name of a deleted table reserved, ' +
        'ends pages after every partition, reports a secondary that lags behind, and refuses requests beyond the ' +
        'scalability targets',
      chaos: 'strict, with occasional faults: an error, a lost connection, a lost response, an empty page, a delay',
    },
    help: 'use the settings of this profile, unless another value is given',
    details: '[Profiles](#profiles-and-the-image) lists their settings.',
  },
} as const satisfies RowsFor<ProfileOptions>;

import type { RowsFor } from './setting.ts';

export interface ProfileOptions {
  /**
   * A bundle of settings: `strict` is the service without mercy, and `chaos` adds faults to it. Every option that is given wins over it.
   * docs/settings.md lists what it holds. Default `default`: every setting has its default.
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
        'the service without mercy: only its own versions, a deleted name that stays taken, pages that end at every ' +
        'partition, a secondary that is behind, refusals beyond the scalability targets',
      chaos: 'strict, and now and then a fault: an error, a lost connection, a lost response, an empty page, a delay',
    },
    help: 'take the settings of this profile where nothing else gives them',
    details: '[Profiles](#profiles-and-the-image) lists their settings.',
  },
} as const satisfies RowsFor<ProfileOptions>;

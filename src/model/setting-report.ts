/** A setting of a running emulator. It never contains a secret. */
export interface SettingReport {
  /** Heading of the setting's group, such as `Address`. */
  readonly group: string;
  /** The name in the settings file and in the library's options: `tablePort`. */
  readonly name: string;
  /** In the unit of the flag or of the option; null if the setting has no value. */
  readonly value: string | number | boolean | null;
  readonly from: SettingOrigin;
  /** What the setting does, as an imperative phrase. */
  readonly help: string;
}

/**
 * Where the value of a setting comes from. `name` is the name of the flag, the variable, the option, the profile, or
 * the member of `file`.
 */
export interface SettingOrigin {
  readonly kind: 'default' | 'flag' | 'variable' | 'file' | 'option' | 'profile' | 'image';
  readonly name?: string;
  readonly file?: string;
}

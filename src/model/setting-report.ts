/** A setting that an emulator runs with. A secret is never in it. */
export interface SettingReport {
  /** Heading of its group, such as `Address`. */
  readonly group: string;
  /** The name in the settings file and in the library's options: `tablePort`. */
  readonly name: string;
  /** In the unit of the flag or of the option; null for none. */
  readonly value: string | number | boolean | null;
  readonly from: SettingOrigin;
  /** What it does: an imperative phrase. */
  readonly help: string;
}

/** Where a value comes from. `name` names the flag, the variable, the member of `file`, the option or the profile. */
export interface SettingOrigin {
  readonly kind: 'default' | 'flag' | 'variable' | 'file' | 'option' | 'profile' | 'image';
  readonly name?: string;
  readonly file?: string;
}

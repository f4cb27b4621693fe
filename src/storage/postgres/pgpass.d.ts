declare module 'pgpass' {
  interface Place {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  }

  /** Reads PGPASSFILE or ~/.pgpass. Undefined if the file has no password for the place. */
  function findPassword(place: Place, done: (password: string | undefined) => void): void;
  export = findPassword;
}

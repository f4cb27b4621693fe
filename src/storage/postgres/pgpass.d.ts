declare module 'pgpass' {
  interface Place {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  }

  /** Undefined if the file, that of PGPASSFILE or ~/.pgpass, has no password for the place. */
  function findPassword(place: Place, done: (password: string | undefined) => void): void;
  export = findPassword;
}

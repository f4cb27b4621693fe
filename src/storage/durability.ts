/**
 * What an acknowledged write survives. `process`: the end of the process. `power`: a power failure too. `none`: possibly
 * neither.
 */
export type Durability = 'process' | 'power' | 'none';

export type HttpHeader = readonly [name: string, value: string];

/** Headers in the order they are sent; a name may come several times. */
export type HttpHeaders = readonly HttpHeader[];

/** The part of libheif-js that we use. Its own declarations lack these classes. */
declare module 'libheif-js/wasm-bundle' {
  export interface HeifImage {
    get_width(): number
    get_height(): number
    is_primary(): boolean
    /**
     * Calls `set` with red, green, blue and alpha of all rows, or of one row after the other. The bytes are only valid during the
     * call. Calls back with null if the image cannot be decoded.
     */
    display(
      into: { data: { set(rows: Uint8Array): void }; width: number; height: number },
      done: (into: object | null) => void,
    ): void
  }
  const libheif: { HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] } }
  export default libheif
}

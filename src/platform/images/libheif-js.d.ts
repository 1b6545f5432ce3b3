/** The part of libheif-js that we use. Its own declarations lack these classes. */
declare module 'libheif-js/wasm-bundle' {
  export interface HeifImage {
    get_width(): number
    get_height(): number
    is_primary(): boolean
    /** Writes red, green, blue and alpha into `data`. Calls back with null if the image cannot be decoded. */
    display(into: { data: Uint8Array; width: number; height: number }, done: (into: object | null) => void): void
  }
  const libheif: { HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] } }
  export default libheif
}

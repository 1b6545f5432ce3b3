/** Files that the bundler handles: style sheets are written into the page's, others are copied under a hashed name. */

declare module '*.css'
declare module '*.wasm' {
  const url: string
  export default url
}
declare module '*.svg' {
  const url: string
  export default url
}

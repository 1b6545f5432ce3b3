/** An import with `{ type: 'file' }` is the path of the file. */
declare module '*.br' {
  const path: string
  export default path
}

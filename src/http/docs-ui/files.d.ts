/** An import with `{ type: 'file' }` is the path of the file. */
declare module 'swagger-ui-dist/swagger-ui-bundle.js' {
  const path: string
  export default path
}
declare module '*/start.js' {
  const path: string
  export default path
}
declare module '*.css' {
  const path: string
  export default path
}

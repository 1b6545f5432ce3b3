/** The path of the embedded file. Only the executable contains this module (scripts/build.ts). */
declare module 'tessera:web-app' {
  const path: string
  export default path
}

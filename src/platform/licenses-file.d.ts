/** The path of the embedded file. Only the executable contains this module (scripts/build.ts). */
declare module 'tessera:licenses' {
  const path: string
  export default path
}

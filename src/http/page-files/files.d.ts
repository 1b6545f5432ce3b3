/** An import with `{ type: 'file' }` is the path of the file. */
declare module '*.png' {
  const path: string
  export default path
}
declare module '*.webp' {
  const path: string
  export default path
}
declare module '*.ico' {
  const path: string
  export default path
}
declare module '*/copy.js' {
  const path: string
  export default path
}
declare module '*/trust-check.js' {
  const path: string
  export default path
}
declare module '*/page-files/check.js' {
  const path: string
  export default path
}
declare module '*/page-files/found.js' {
  const path: string
  export default path
}
declare module '*/local-time.js' {
  const path: string
  export default path
}
declare module '*/page-files/kiosk.js' {
  const path: string
  export default path
}

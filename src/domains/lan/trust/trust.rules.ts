/** Which steps a device needs, and what a request may know. */

export const SYSTEMS = ['ios', 'android', 'windows', 'macos', 'linux', 'firefox'] as const
export type System = (typeof SYSTEMS)[number]

/** In this order: Android contains Linux, and Firefox on computers has trust settings of its own. */
const MARKS: readonly (readonly [System, RegExp])[] = [
  ['ios', /iPhone|iPad|iPod/],
  ['android', /Android/],
  ['firefox', /Firefox\//],
  ['windows', /Windows/],
  ['macos', /Macintosh/],
  ['linux', /Linux|X11|CrOS/],
]

/** Undefined if the browser does not say. */
export const systemOf = (userAgent: string): System | undefined => MARKS.find(([, mark]) => mark.test(userAgent))?.[0]

/** Whether a page of this origin may read whether its device trusts the server: that of the same host over plain http. */
export function mayRead(origin: string, host: string): boolean {
  const url = URL.parse(origin)
  return url?.protocol === 'http:' && url.hostname === host
}

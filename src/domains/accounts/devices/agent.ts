/** A name for a device that gave none, from what its browser or app says of itself. Pure. */

/** First match wins: browsers name each other, the more special ones come first. */
const APPS: readonly [RegExp, string][] = [
  [/MicroMessenger\//, 'WeChat'],
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/okhttp\/|Dalvik\//, 'App'],
  [/CFNetwork\//, 'App'],
]
const SYSTEMS: readonly [RegExp, string][] = [
  [/HarmonyOS|OpenHarmony/, 'HarmonyOS'],
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh|Darwin\//, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]
/** `(Linux; Android 14; Pixel 8 Build/…)`: makers put the model there. `K` stands for every phone in browsers that hide it. */
const MODEL = /Android [\d.]+; ((?!K\)|K;|wv\b)[\w .+-]{2,40}?)(?: Build\/|[;)])/

const named = (table: readonly [RegExp, string][], agent: string): string =>
  table.find(([pattern]) => pattern.test(agent))?.[1] ?? ''

/** "Chrome on Windows", "App on Pixel 8", "iPhone", or empty for what says nothing (curl, a script). */
export function nameOfAgent(agent: string): string {
  const system = MODEL.exec(agent)?.[1]?.trim() || named(SYSTEMS, agent)
  const app = named(APPS, agent)
  if (system === '') return app === 'App' ? '' : app
  return app === '' ? system : `${app} on ${system}`
}

/** The language of the web application: what the user chose, otherwise that of the browser, otherwise that of the server. */

import { site } from '../browser/site.ts'
import { storage } from '../browser/storage.ts'

export type Locale = 'en' | 'zh'
/** A text in both languages. */
export type Localized = Readonly<Record<Locale, string>>

const KEY = 'tessera.locale'

function initial(): Locale {
  const chosen = storage.getItem(KEY)
  if (chosen === 'en' || chosen === 'zh') return chosen
  const known = navigator.languages.map((language) => /^(en|zh)(-|$)/i.exec(language)?.[1]!.toLowerCase())
  return (known.find((language) => language !== undefined) as Locale | undefined) ?? site.locale ?? 'en'
}

let locale: Locale = initial()
document.documentElement.lang = locale === 'zh' ? 'zh-CN' : 'en'
const listeners = new Set<() => void>()

export const currentLocale = (): Locale => locale

export function chooseLocale(chosen: Locale): void {
  locale = chosen
  storage.setItem(KEY, chosen)
  document.documentElement.lang = chosen === 'zh' ? 'zh-CN' : 'en'
  for (const listener of listeners) listener()
}

/** English instead of Chinese, or the other way round. */
export const switchLocale = (): void => chooseLocale(locale === 'en' ? 'zh' : 'en')

/** Calls `listener` after each change of the language. Returns the function that ends it. */
export function onLocaleChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

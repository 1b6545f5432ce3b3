/**
 * Texts of the web application. Each part declares its own in both languages:
 *
 *     const words = texts({
 *       en: { create: 'Create code', found: (n: number) => `${n} found` },
 *       zh: { create: '新建二维码', found: (n: number) => `共 ${n} 个` },
 *     })
 *     const t = useTexts(words)   // t.create, t.found(3)
 *
 * The compiler checks that both languages have the same texts.
 */

import { useSyncExternalStore } from 'react'

import { currentLocale, type Locale, type Localized, onLocaleChange } from './locale.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- arguments of texts are checked where they are written
type Text = string | ((...values: any[]) => string) | Readonly<Record<string, string>>
type Shape<T> = {
  [Key in keyof T]: T[Key] extends string
    ? string
    : T[Key] extends Record<string, string>
      ? { [K in keyof T[Key]]: string }
      : T[Key]
}
export type Texts<T> = { readonly en: T; readonly zh: Shape<T> }

/** Declares texts; `zh` must have those of `en`. */
export const texts = <T extends Record<string, Text>>(both: Texts<T>): Texts<T> => both

/** Texts from words that are declared in both languages at once, such as those of things.ts. */
export const textsOf = <K extends string>(words: Readonly<Record<K, Localized>>): Texts<Record<K, string>> => {
  const inLocale = (locale: Locale) =>
    Object.fromEntries(Object.keys(words).map((key) => [key, words[key as K][locale]])) as Record<K, string>
  return { en: inLocale('en'), zh: inLocale('zh') as Shape<Record<K, string>> }
}

export const useLocale = (): Locale => useSyncExternalStore(onLocaleChange, currentLocale)

/** The texts in the language of the web application. The component is drawn again when it changes. */
export function useTexts<T>(both: Texts<T>): T {
  return both[useLocale()] as T
}

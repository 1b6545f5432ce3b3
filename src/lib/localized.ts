/** The product's two languages, used by all code that writes sentences for people. */

export type Locale = 'en' | 'zh'

/** A text in both languages. */
export type Localized = Readonly<Record<Locale, string>>

/** The product's two languages, shared by everything that writes sentences for people. */

export type Locale = 'en' | 'zh'

/** A text in both languages. */
export type Localized = Readonly<Record<Locale, string>>

/** react-admin's own texts, and labels of fields that several tables share. Texts of the areas are in the areas (words.ts). */

import polyglot from 'ra-i18n-polyglot'
import english from 'ra-language-english'
import type { I18nProvider } from 'react-admin'

import { chinese } from './chinese.ts'
import { fields } from './fields.ts'
import { chooseLocale, currentLocale, type Locale } from './locale.ts'

const messages = { en: english, zh: chinese }

export function createI18nProvider(): I18nProvider {
  const provider = polyglot(
    (locale) => messages[locale as Locale],
    currentLocale(),
    [
      { locale: 'en', name: 'English' },
      { locale: 'zh', name: '中文' },
    ],
    { allowMissing: true },
  )
  return {
    ...provider,
    /** `resources.admin/users.fields.createdAt` is the label of `createdAt` in every table. */
    translate(key, options) {
      const field = /^resources\..+\.fields\.(.+)$/.exec(key)?.[1]
      if (field === undefined) return provider.translate(key, options)
      const label = fields[field]?.[currentLocale()]
      // Shown by the browser tests, which fail on it.
      // oxlint-disable-next-line eslint/no-console
      if (label === undefined) console.warn(`i18n/fields.ts has no label for ${key}`)
      return label ?? field
    },
    async changeLocale(locale) {
      chooseLocale(locale as Locale)
      await provider.changeLocale(locale)
    },
  }
}

/** The labels of columns and filters: their own, or those of i18n/fields.ts. */

import { fields } from '../../i18n/fields.ts'
import { useLocale } from '../../i18n/words.ts'

export function useLabelled<T extends { source: string; label?: string }>(
  all: readonly T[],
): readonly (T & { label: string })[] {
  const locale = useLocale()
  return all.map((one) => {
    const label = one.label ?? fields[one.source]?.[locale]
    // Shown by the browser tests, which fail on it.
    // oxlint-disable-next-line eslint/no-console
    if (label === undefined) console.warn(`i18n/fields.ts has no label for ${one.source}`)
    return { ...one, label: label ?? one.source }
  })
}

/** The `mapping` of an import: which column each heading of a file means. Pure. */

import type { Localized } from '#lib/localized.ts'

import { wordKey } from './cells.ts'

/** By heading, as `nameOf` compares headings; null for a column that is ignored. */
export type Mapping<Key extends string = string> = ReadonlyMap<string, Key | null>

/** The text of a `mapping` field; a problem if it is not an object of keys and nulls. */
export function parseMapping<Key extends string>(
  text: string,
  isKey: (key: string) => boolean,
  nameOf: (heading: string) => string = wordKey,
): Mapping<Key> | Localized {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    given = undefined
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { en: 'must be a JSON object', zh: '必须是 JSON 对象' }
  const mapping = new Map<string, Key | null>()
  for (const [heading, key] of Object.entries(given)) {
    if (key !== null && !(typeof key === 'string' && isKey(key))) {
      const shown = JSON.stringify(key).slice(0, 50)
      return { en: `names the unknown column ${shown}`, zh: `包含未知的列 ${shown}` }
    }
    mapping.set(nameOf(heading), key as Key | null)
  }
  return mapping
}

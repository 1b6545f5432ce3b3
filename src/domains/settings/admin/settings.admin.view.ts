import type { TSchema } from '@sinclair/typebox'

import type { Locale, Localized } from '#lib/localized.ts'

import { definitions, READ_ONLY, type SettingKey } from '../settings.model.ts'
import type { SettingType, SettingView } from './settings.admin.model.ts'

const TYPES: Readonly<Record<string, SettingType>> = {
  boolean: 'BOOLEAN',
  integer: 'INTEGER',
  string: 'STRING',
  array: 'LIST',
}

/** The alternatives of a schema, such as 0 or a number from 30 on; the schema itself if it has none. */
const variantsOf = (schema: TSchema): readonly TSchema[] => (schema['anyOf'] as TSchema[] | undefined) ?? [schema]

function typeOf(schema: TSchema): SettingType {
  const { type } = variantsOf(schema).at(-1)!
  return TYPES[type as string]!
}

/** Bounds of an integer. All bounds together: a schema that allows 0 or 30 to 100 has 0 and 100. */
function boundsOf(schema: TSchema): { readonly min: number | null; readonly max: number | null } {
  if (typeOf(schema) !== 'INTEGER') return { min: null, max: null }
  const variants = variantsOf(schema)
  return {
    min: Math.min(...variants.map((one) => (one['minimum'] ?? one['const']) as number)),
    max: Math.max(...variants.map((one) => (one['maximum'] ?? one['const']) as number)),
  }
}

/** The values of an enum, or of a list of such values; null for all others. */
const choicesOf = (schema: TSchema): string[] | null =>
  ((schema['items'] as TSchema | undefined) ?? schema)['enum'] ?? null

export interface Reader {
  readonly locale: Locale
  readonly isSystemAdmin: boolean
  /** See `lockOf`. */
  readonly lockOf: (key: SettingKey) => Localized | undefined
  /** The value that the start of the server sets instead. */
  readonly startValueOf: (key: SettingKey) => { readonly value: unknown; readonly name: string } | undefined
}

/** All settings. `rows`: the stored ones that are in force. */
export function settingViews(
  rows: readonly { readonly key: SettingKey; readonly value: unknown; readonly updatedAt: number }[],
  { locale, isSystemAdmin, lockOf, startValueOf }: Reader,
): SettingView[] {
  const stored = new Map(rows.map((row) => [row.key, row]))
  return (Object.keys(definitions) as SettingKey[]).map((key) => {
    const { schema, initial, label, description, systemAdminOnly } = definitions[key]
    const row = stored.get(key)
    const start = startValueOf(key)
    const lock = lockOf(key)
    return {
      key,
      group: key.split('.')[0]!,
      type: typeOf(schema),
      value: (start === undefined ? (row === undefined ? initial : row.value) : start.value) as SettingView['value'],
      default: initial as SettingView['default'],
      ...boundsOf(schema),
      choices: choicesOf(schema),
      label: label[locale],
      description: description[locale],
      readOnly: READ_ONLY.has(key),
      systemAdminOnly,
      mayChange:
        !READ_ONLY.has(key) &&
        start === undefined &&
        (isSystemAdmin || !systemAdminOnly) &&
        (lock === undefined || row !== undefined),
      lockedBy: start?.name ?? null,
      locked: lock?.[locale] ?? null,
      updatedAt: row?.updatedAt ?? null,
    }
  })
}

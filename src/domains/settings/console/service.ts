/** Shows the business settings in the console and changes them. */

import type { TSchema } from '@sinclair/typebox'

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import type { LoggedActor } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import { type CheckedItem, invalidAll, valueChecker } from '#http/validate.ts'
import type { Locale, Localized } from '#lib/localized.ts'

import { definitions, READ_ONLY, type SettingKey } from '../model.ts'
import { changeSettings, isSettingKey, type SettingChanges, validRows } from '../service.ts'
import { listSettings } from '../store.ts'
import type { SettingList, SettingsChange } from './model.ts'
import { settingViews } from './view.ts'

/** An unknown key in a message is cut to this length. */
const LONGEST_KEY = 100

const readSettings = async (db: Db | Tx, locale: Locale): Promise<SettingList> => ({
  items: settingViews(validRows(await listSettings(db)), locale),
})

/** From the database, not from the cache, because of the times. */
export const showSettings = (ctx: AppContext, locale: Locale): Promise<SettingList> => readSettings(ctx.db.read, locale)

/** @throws AppError 400 with one problem for each bad key */
export async function updateSettings(
  actor: LoggedActor,
  { values }: SettingsChange,
  locale: Locale,
): Promise<SettingList> {
  const changes = checked(values)
  return actor.write('settings.update', async (tx) => {
    const logged = await changeSettings(tx, changes)
    return { result: await readSettings(tx, locale), logged }
  })
}

function checked(values: SettingsChange['values']): SettingChanges {
  const problems: FieldProblem[] = []
  const changes: Record<string, unknown> = {}
  for (const [key, given] of Object.entries(values)) {
    const { value, problem } = isSettingKey(key) ? checkValue(key, given) : { problem: UNKNOWN }
    if (problem === undefined) changes[key] = value
    else problems.push({ path: `body.values.${key.slice(0, LONGEST_KEY)}`, text: problem })
  }
  if (problems.length > 0) throw invalidAll(problems)
  return changes as SettingChanges
}

const UNKNOWN: Localized = { en: 'is not a setting', zh: '不是系统设置' }
const ONLY_PUBLISHED: Localized = { en: 'is changed by publications only', zh: '只能通过发布应用版本更改' }

type Checker = (given: unknown, path: string) => CheckedItem<unknown>
const checkers = new Map<SettingKey, Checker>()

function checkValue(key: SettingKey, given: unknown): { readonly value?: unknown; readonly problem?: Localized } {
  if (READ_ONLY.has(key)) return { problem: ONLY_PUBLISHED }
  if (given === null) return { value: null }
  const schema: TSchema = definitions[key].schema
  let check = checkers.get(key)
  if (check === undefined) checkers.set(key, (check = valueChecker(schema)))
  const { value, problems } = check(given, key)
  const [first] = problems
  if (first === undefined) {
    const refused = definitions[key].check?.(value)
    return refused === undefined ? { value } : { problem: refused }
  }
  return { problem: alternatives(schema) ?? first.text }
}

/** The problem of a value that fits none of several alternatives. */
function alternatives(schema: TSchema): Localized | undefined {
  const variants = schema['anyOf'] as TSchema[] | undefined
  if (variants === undefined) return undefined
  const ranges = variants.map((one) =>
    one['const'] === undefined ? `${one['minimum']}-${one['maximum']}` : one['const'],
  )
  return { en: `must be one of ${ranges.join(', ')}`, zh: `必须是以下之一：${ranges.join('、')}` }
}

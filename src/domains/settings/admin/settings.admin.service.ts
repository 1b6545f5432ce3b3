/** Shows the business settings in the console and changes them. */

import type { TSchema } from '@sinclair/typebox'

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import { isSystemAdmin, requireSystemAdmin } from '#domains/access/index.ts'
import { contributions } from '#domains/domain.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import { type CheckedItem, invalid, invalidAll, valueChecker } from '#http/validate.ts'
import type { Locale, Localized } from '#lib/localized.ts'

import { definitions, READ_ONLY, type SettingKey } from '../settings.model.ts'
import {
  changeSettings,
  isSettingKey,
  lockOf,
  type SettingChanges,
  startValueOf,
  validRows,
} from '../settings.service.ts'
import { listSettings } from '../settings.store.ts'
import { loadServerValues } from '../values/values.service.ts'
import type { SettingList, SettingsChange } from './settings.admin.model.ts'
import { settingViews } from './settings.admin.view.ts'

/** An unknown key in a message is cut to this length. */
const LONGEST_KEY = 100

const readSettings = async (ctx: AppContext, db: Db | Tx, actor: Actor, locale: Locale): Promise<SettingList> => ({
  items: settingViews(validRows(await listSettings(db)), {
    locale,
    isSystemAdmin: await isSystemAdmin(db, actor),
    lockOf: (key) => lockOf(ctx, key),
    startValueOf: (key) => startValueOf(ctx, key),
  }),
})

/** From the database, not from the cache, because of the times. */
export const showSettings = (ctx: AppContext, actor: Actor, locale: Locale): Promise<SettingList> =>
  readSettings(ctx, ctx.db.read, actor, locale)

/** @throws AppError 400 with one problem for each bad key, 403 if a key is up to SYSTEM_ADMIN and the caller is not */
export async function updateSettings(
  ctx: AppContext,
  actor: LoggedActor,
  { values }: SettingsChange,
  locale: Locale,
): Promise<SettingList> {
  const changes = await checkedHere(ctx, actor, checked(ctx, values))
  const result = await actor.write('settings.update', async (tx) => {
    const logged = await changeSettings(tx, actor, changes)
    if (changes['security.requireTotp'] === true) await requireOwnFactor(ctx, tx, actor)
    return { result: await readSettings(ctx, tx, actor, locale), logged }
  })
  if (changes['server.language'] !== undefined) await loadServerValues(ctx)
  return result
}

/** Administrators without a second factor would lock themselves and each other out of the console. @throws AppError 400 */
async function requireOwnFactor(ctx: AppContext, tx: Tx, { userId }: Actor): Promise<void> {
  for (const withSecondFactor of contributions(ctx, 'withSecondFactor'))
    if ((await withSecondFactor(tx, [userId])).has(userId)) return
  throw invalid(
    'body.values.security.requireTotp',
    'needs two-factor sign-in for your own account: switch it on first',
    '须先启用您自己的两步验证',
  )
}

/**
 * Checks values whose limits depend on this server, and leaves out those that only repeat a start value.
 * @throws AppError 400, or 403 if such a setting is up to SYSTEM_ADMIN and the caller is not
 */
async function checkedHere(ctx: AppContext, actor: Actor, changes: SettingChanges): Promise<SettingChanges> {
  const kept: Record<string, unknown> = { ...changes }
  for (const [key, value] of Object.entries(changes)) {
    const start = startValueOf(ctx, key as SettingKey)
    const checks = contributions(ctx, 'settingChecks').flatMap((one) => one[key as SettingKey] ?? [])
    if (start === undefined && checks.length === 0) continue
    // The answer says whether a folder exists, which only system administrators may learn.
    if (definitions[key as SettingKey].systemAdminOnly) await requireSystemAdmin(ctx.db.read, actor)
    const path = `body.values.${key}`
    if (start !== undefined && value !== start.value) throw invalidAll([{ path, text: lockedBy(start.name) }])
    if (start !== undefined) delete kept[key]
    else if (value !== null)
      for (const check of checks) {
        const text = await check(ctx, value)
        if (text !== undefined) throw invalidAll([{ path, text }])
      }
  }
  return kept
}

const lockedBy = (name: string): Localized => ({
  en: `is set by ${name}, and can only be changed there`,
  zh: `由 ${name} 设定，只能在该处更改`,
})

function checked(ctx: AppContext, values: SettingsChange['values']): SettingChanges {
  const problems: FieldProblem[] = []
  const changes: Record<string, unknown> = {}
  for (const [key, given] of Object.entries(values)) {
    const { value, problem } = isSettingKey(key) ? checkValue(ctx, key, given) : { problem: UNKNOWN }
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

function checkValue(
  ctx: AppContext,
  key: SettingKey,
  given: unknown,
): { readonly value?: unknown; readonly problem?: Localized } {
  if (READ_ONLY.has(key)) return { problem: ONLY_PUBLISHED }
  if (given === null) return { value: null }
  const schema: TSchema = definitions[key].schema
  let check = checkers.get(key)
  if (check === undefined) checkers.set(key, (check = valueChecker(schema)))
  const { value, problems } = check(given, key)
  const [first] = problems
  if (first === undefined) {
    const lock = value === definitions[key].initial ? undefined : lockOf(ctx, key)
    const refused = lock ?? definitions[key].check?.(value)
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

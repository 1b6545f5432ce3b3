/** Reads settings from a cache and writes them to the database. */

import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { type AppContext, type Changed, dropWhen, perContext } from '#context'
import type { Tx } from '#db/store.ts'
import { requireSystemAdmin } from '#domains/access/index.ts'
import type { AdjustableLimit } from '#http/budget.ts'
import type { Actor } from '#http/endpoint.ts'
import { badRequest } from '#http/errors.ts'
import type { Localized } from '#lib/localized.ts'
import { ReadCache } from '#lib/read-cache.ts'
import { topic } from '#platform/bus.ts'

import { type BudgetKey, definitions, type SettingKey, type Settings, type SettingValue } from './settings.model.ts'
import { deleteSetting, listSettings, type SettingRow, upsertSetting } from './settings.store.ts'

/** Changes that are not announced, for example by the command line on SQLite, take effect after at most this many milliseconds. */
const CACHE_MS = 60_000
/** The cache has one entry, with all settings. */
const ALL = 0

export const settingsChanged = topic<Changed<typeof ALL>>('settings.changed')

const cache = perContext((ctx) => {
  const settings = new ReadCache<typeof ALL, Settings>({
    max: 1,
    maxAge: CACHE_MS,
    now: () => ctx.clock.now(),
    load: () => load(ctx),
  })
  dropWhen(ctx, settingsChanged, settings)
  return settings
})

const isValid = (key: SettingKey, value: unknown): boolean => Value.Check(definitions[key].schema as TSchema, value)

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(definitions, key)

const defaults = Object.fromEntries(Object.entries(definitions).map(([key, { initial }]) => [key, initial])) as Settings

/** The rows that are in force. Those of other versions are ignored but kept, so that they are there again after an upgrade or downgrade. */
export const validRows = (rows: readonly SettingRow[]): (SettingRow & { readonly key: SettingKey })[] =>
  rows.filter((row): row is SettingRow & { key: SettingKey } => isSettingKey(row.key) && isValid(row.key, row.value))

const inForce = (rows: readonly SettingRow[]): Settings => ({
  ...defaults,
  ...Object.fromEntries(validRows(rows).map(({ key, value }) => [key, value])),
})

/** The value with which the server was started in place of a setting, and its name; undefined if there is none. */
export function startValueOf({ config, origins }: AppContext, key: SettingKey) {
  if (key !== 'backup.directory' || config.backupDir === '') return undefined
  return { value: config.backupDir, name: origins.get('backupDir') ?? 'TESSERA_BACKUP_DIR' }
}

async function load(ctx: AppContext): Promise<Settings> {
  const rows = await listSettings(ctx.db.read)
  for (const { key, value } of rows)
    if (isSettingKey(key) && !isValid(key, value))
      ctx.log.warn('a stored setting is not valid, using the default', { key })
  const stored = inForce(rows)
  return { ...stored, 'backup.directory': startValueOf(ctx, 'backup.directory')?.value ?? stored['backup.directory'] }
}

/** The value of a setting, or its default. Returns no promise if the settings are cached. The result must not be modified. */
export function getSetting<K extends SettingKey>(ctx: AppContext, key: K): SettingValue<K> | Promise<SettingValue<K>> {
  const cached = cache(ctx).get(ALL)
  return cached === undefined
    ? cache(ctx)
        .fetch(ALL)
        .then((loaded) => (loaded ?? defaults)[key])
    : cached[key]
}

/** The limit of a budget, read at each call. */
export const limitOf = (key: BudgetKey): AdjustableLimit => ({
  initial: definitions[key].initial,
  read: (ctx) => getSetting(ctx, key),
})

/** Changes a setting; the new value is used once the write has committed. @throws AppError 400 if the value is not valid. */
export async function setSetting<K extends SettingKey>(tx: Tx, key: K, value: SettingValue<K>): Promise<void> {
  if (!isValid(key, value)) throw badRequest(`Not a valid value for ${key}`, `${key} 的值无效`)
  await upsertSetting(tx, key, value)
  tx.publish(settingsChanged, 'all')
}

/** Why nobody can change a setting of this server; undefined if it can be changed. The default can always be set. */
export function lockOf({ config, releaseKey }: AppContext, key: SettingKey): Localized | undefined {
  if (key !== 'update.check') return undefined
  if (releaseKey === undefined)
    return {
      en: 'needs a program that was built with the key of its releases; this one was not',
      zh: '需要内置发布密钥的程序；当前程序没有内置密钥',
    }
  return config.updateUrl === ''
    ? { en: 'needs TESSERA_UPDATE_URL, which is not set', zh: '需要设置 TESSERA_UPDATE_URL' }
    : undefined
}

/** The new values of some settings; null means the default. */
export type SettingChanges = { readonly [K in SettingKey]?: SettingValue<K> | null }

/**
 * Changes settings together and returns what differs, read in the same write. A setting that already has its new value is left as it is,
 * and one that gets its default again loses its row.
 * @throws AppError 403 if one of them, changed or not, is up to SYSTEM_ADMIN and the caller is not, 400 if a value is not valid
 */
export async function changeSettings(
  tx: Tx,
  actor: Actor,
  changes: SettingChanges,
): Promise<{ readonly before: Partial<Settings>; readonly after: Partial<Settings> }> {
  if ((Object.keys(changes) as SettingKey[]).some((key) => definitions[key].systemAdminOnly))
    await requireSystemAdmin(tx, actor)
  const current = inForce(await listSettings(tx))
  const wanted = Object.fromEntries(
    Object.entries(changes).map(([key, value]) => [key, value ?? defaults[key as SettingKey]]),
  ) as Partial<Settings>
  const changed = (Object.keys(wanted) as SettingKey[]).filter((key) => !Value.Equal(current[key], wanted[key]))
  for (const key of changed)
    if (Value.Equal(wanted[key], defaults[key])) await deleteSetting(tx, key)
    else await setSetting(tx, key, wanted[key]!)
  if (changed.length > 0) tx.publish(settingsChanged, 'all')
  const only = (values: Partial<Settings>): Partial<Settings> =>
    Object.fromEntries(changed.map((key) => [key, values[key]]))
  return { before: only(current), after: only(wanted) }
}

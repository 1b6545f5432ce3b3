/** Reads settings from a cache and writes them to the database. */

import type { TSchema } from '@sinclair/typebox'
import { Check } from '@sinclair/typebox/value'

import { type AppContext, type Changed, dropWhen, perContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { AdjustableLimit } from '#http/budget.ts'
import { badRequest } from '#http/errors.ts'
import { ReadCache } from '#lib/read-cache.ts'
import { topic } from '#platform/bus.ts'

import { type BudgetKey, definitions, type SettingKey, type Settings, type SettingValue } from './model.ts'
import { listSettings, upsertSetting } from './store.ts'

/** Changes that are not announced, for example by the command line on SQLite, take effect after at most this many milliseconds. */
const CACHE_MS = 60_000
/** The cache has one entry, with all settings. */
const ALL = 0

const settingsChanged = topic<Changed<typeof ALL>>('settings.changed')

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

const isValid = (key: SettingKey, value: unknown): boolean => Check(definitions[key].schema as TSchema, value)

const isKey = (key: string): key is SettingKey => Object.hasOwn(definitions, key)

const defaults = Object.fromEntries(Object.entries(definitions).map(([key, { initial }]) => [key, initial])) as Settings

async function load(ctx: AppContext): Promise<Settings> {
  const stored: Partial<Record<SettingKey, unknown>> = {}
  for (const { key, value } of await listSettings(ctx.db.read)) {
    // Settings of other versions are ignored but kept, so that they are there again after an upgrade or downgrade.
    if (!isKey(key)) continue
    if (isValid(key, value)) stored[key] = value
    else ctx.log.warn('a stored setting is not valid, using the default', { key })
  }
  return { ...defaults, ...stored } as Settings
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

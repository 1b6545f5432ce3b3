import type { TSchema } from '@sinclair/typebox'
import { Check } from '@sinclair/typebox/value'

import { type AppContext, perContext } from '#context'
import type { Tx } from '#db/store.ts'
import { badRequest } from '#http/errors.ts'
import { type Dated, ReadCache } from '#lib/read-cache.ts'

import { definitions, type SettingKey, type Settings, type SettingValue } from './model.ts'
import { putSetting, storedSettings } from './store.ts'

/** Other processes on the same database (a second node, the command line) are noticed after this many milliseconds. */
const CACHE_MS = 60_000
const ALL = 0

interface Known extends Dated {
  readonly values: Settings
}

const cache = perContext((ctx) => new ReadCache<typeof ALL, Known>({ max: 1, maxAge: CACHE_MS, load: () => load(ctx) }))

const fits = (key: SettingKey, value: unknown): boolean => Check(definitions[key].schema as TSchema, value)

const isKey = (key: string): key is SettingKey => Object.hasOwn(definitions, key)

const defaults = Object.fromEntries(Object.entries(definitions).map(([key, { initial }]) => [key, initial])) as Settings

async function load(ctx: AppContext): Promise<Known> {
  const readAt = ctx.clock.now()
  const stored: Partial<Record<SettingKey, unknown>> = {}
  for (const { key, value } of await storedSettings(ctx.db.read)) {
    // Rows of other versions stay: a later start of that version finds them again.
    if (!isKey(key)) continue
    if (fits(key, value)) stored[key] = value
    else ctx.log.warn('a stored setting is not valid, using the default', { key })
  }
  return { readAt, values: { ...defaults, ...stored } as Settings }
}

/** The setting's value, or its default. Answers at once when the settings are cached. Never change what it gives. */
export function getSetting<K extends SettingKey>(ctx: AppContext, key: K): SettingValue<K> | Promise<SettingValue<K>> {
  const known = cache(ctx).get(ALL, ctx.clock.now())
  return known === undefined
    ? cache(ctx)
        .fetch(ALL)
        .then((loaded) => (loaded?.values ?? defaults)[key])
    : known.values[key]
}

/** Throws a 400 when the value does not fit the setting. The new value counts as soon as the write is committed. */
export async function setSetting<K extends SettingKey>(
  ctx: AppContext,
  tx: Tx,
  key: K,
  value: SettingValue<K>,
): Promise<void> {
  if (!fits(key, value)) throw badRequest(`Not a valid value for ${key}`, `${key} 的值无效`)
  await putSetting(tx, key, value)
  tx.afterCommit(() => cache(ctx).drop(ALL))
}

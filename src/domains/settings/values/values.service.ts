/**
 * Keeps the server values of this process: pages, mails and lists of names need them without waiting. They are read at the start and after
 * each change, of any process.
 */

import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { type AppContext, perContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import { topic } from '#platform/bus.ts'

import { settingsChanged } from '../settings.service.ts'
import { deleteSetting, listSettings, type SettingRow, upsertSetting } from '../settings.store.ts'
import { type Part, parts, type PartValue, type ServerValues } from './values.model.ts'

/** Of the keys of their rows. */
const PREFIX = 'server.'
/** Its row has the version. */
const VERSION = `${PREFIX}version`

const valuesChanged = topic<null>('settings.valuesChanged')

type Listener = (values: ServerValues) => void

const state = perContext((ctx) => {
  const held = {
    values: {} as ServerValues,
    listeners: new Set<Listener>(),
    /** Reads that are running or wait for it: a later one never sets older values. */
    reading: Promise.resolve(),
  }
  const again = (): void => {
    loadServerValues(ctx).catch((error: unknown) => ctx.log.warn('the server values could not be read', { error }))
  }
  ctx.bus.on(valuesChanged, again)
  // Of the language.
  ctx.bus.on(settingsChanged, again)
  ctx.bus.onGap(again)
  return held
})

/** As this process knows them. */
export const serverValues = (ctx: AppContext): ServerValues => state(ctx).values

/** Calls `listener` with the present values and after each change. */
export function onServerValues(ctx: AppContext, listener: Listener): void {
  state(ctx).listeners.add(listener)
  listener(state(ctx).values)
}

/** Resolves when this process uses all values that were committed before the call. */
export function loadServerValues(ctx: AppContext): Promise<void> {
  const held = state(ctx)
  const load = async (): Promise<void> => {
    held.values = valuesIn(await listSettings(ctx.db.read), (key) =>
      ctx.log.warn('a stored server value is not valid and is ignored', { key }),
    )
    for (const listener of held.listeners) listener(held.values)
  }
  return (held.reading = held.reading.then(load, load))
}

function valuesIn(rows: readonly SettingRow[], ignore?: (key: string) => void): ServerValues {
  const values: Record<string, unknown> = {}
  for (const { key, value } of rows) {
    const part = key.startsWith(PREFIX) ? key.slice(PREFIX.length) : ''
    if (!Object.hasOwn(parts, part)) continue
    if (Value.Check(parts[part as Part] as TSchema, value)) values[part] = value
    else ignore?.(key)
  }
  return values as ServerValues
}

export async function readServerValues(
  db: Db | Tx,
): Promise<{ readonly values: ServerValues; readonly version: number }> {
  const rows = await listSettings(db)
  return { values: valuesIn(rows), version: versionOf(rows) }
}

/** Of all parts together, so that administrators who change different ones learn of each other. */
const versionOf = (rows: readonly SettingRow[]): number => rows.find(({ key }) => key === VERSION)?.updatedAt ?? 1

/**
 * Sets a part, or deletes it. The caller awaits `loadServerValues` after the write. The marks of the setup have no version: an administrator
 * who marks a step must not refuse what another one types.
 */
export async function setServerValue<P extends Part>(tx: Tx, part: P, value: PartValue<P> | undefined): Promise<void> {
  if (value === undefined) await deleteSetting(tx, PREFIX + part)
  else await upsertSetting(tx, PREFIX + part, value)
  if (part !== 'setup') await upsertSetting(tx, VERSION, true)
  tx.publish(valuesChanged, null)
}

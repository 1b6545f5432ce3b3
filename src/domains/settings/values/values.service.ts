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
    /** Keys of rows that are not valid: each is logged once. */
    ignored: [] as readonly string[],
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
    const rows = await listSettings(ctx.db.read)
    const ignored = ignoredIn(rows)
    for (const key of ignored)
      if (!held.ignored.includes(key)) ctx.log.warn('a stored server value is not valid and is ignored', { key })
    held.ignored = ignored
    held.values = valuesIn(rows)
    for (const listener of held.listeners) listener(held.values)
  }
  return (held.reading = held.reading.then(load, load))
}

type StoredRow = Pick<SettingRow, 'key' | 'value'>

/** The part whose row has this key. Rows of newer versions have others. */
function partOf(key: string): Part | undefined {
  const part = key.startsWith(PREFIX) ? key.slice(PREFIX.length) : ''
  return Object.hasOwn(parts, part) ? (part as Part) : undefined
}

const isValid = (part: Part, value: unknown): boolean => Value.Check(parts[part] as TSchema, value)

function valuesIn(rows: readonly StoredRow[]): ServerValues {
  const values: Record<string, unknown> = {}
  for (const { key, value } of rows) {
    const part = partOf(key)
    if (part !== undefined && isValid(part, value)) values[part] = value
  }
  return values as ServerValues
}

/** The keys of the rows that are not valid. */
export const ignoredIn = (rows: readonly StoredRow[]): string[] =>
  rows.flatMap(({ key, value }) => {
    const part = partOf(key)
    return part === undefined || isValid(part, value) ? [] : [key]
  })

export async function readServerValues(
  db: Db | Tx,
): Promise<{ readonly values: ServerValues; readonly version: number; readonly ignored: readonly string[] }> {
  const rows = await listSettings(db)
  return { values: valuesIn(rows), version: versionOf(rows), ignored: ignoredIn(rows) }
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

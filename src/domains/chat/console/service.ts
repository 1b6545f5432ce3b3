import { type AppContext, perContext } from '#context'
import { changeSettings, getSetting } from '#domains/settings/index.ts'
import type { LoggedActor } from '#http/endpoint.ts'
import { countSockets } from '#http/socket.ts'
import { zoneOf } from '#http/validate.ts'
import { dayName, lastDays } from '#lib/days.ts'
import { ReadCache } from '#lib/read-cache.ts'
import { HOUR, MINUTE } from '#platform/clock.ts'

import { lastNumber } from '../store.ts'
import {
  CHAT_SETTING_NAMES,
  type ChatSettings,
  type ChatSettingsChange,
  type ChatStats,
  type ChatStatsQuery,
} from './model.ts'
import * as store from './store.ts'

export async function showSettings(ctx: AppContext): Promise<ChatSettings> {
  const values = await Promise.all(
    CHAT_SETTING_NAMES.map(async (name) => [name, await getSetting(ctx, `chat.${name}`)] as const),
  )
  return Object.fromEntries(values) as ChatSettings
}

/** Lower limits spare everything that exists. */
export async function updateSettings(
  ctx: AppContext,
  actor: LoggedActor,
  change: ChatSettingsChange,
): Promise<ChatSettings> {
  const changes = Object.fromEntries(Object.entries(change).map(([name, value]) => [`chat.${name}`, value]))
  await actor.write('chat.changeSettings', async (tx) => {
    const { before, after } = await changeSettings(tx, changes)
    return { result: undefined, logged: { before: withoutPrefix(before), after: withoutPrefix(after) } }
  })
  return showSettings(ctx)
}

const withoutPrefix = (values: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key.replace('chat.', ''), value]))

type Counts = Omit<ChatStats, 'sockets'>

/** Counts are up to a minute old. */
const statsOf = perContext(
  (ctx) =>
    new ReadCache<string, Counts>({
      max: 20,
      maxAge: MINUTE,
      now: () => ctx.clock.now(),
      load: (key) => countAll(ctx, key),
    }),
)

export async function showStats(ctx: AppContext, query: ChatStatsQuery): Promise<ChatStats> {
  const key = `${query.days} ${zoneOf(query)}`
  const counts = statsOf(ctx).get(key) ?? (await statsOf(ctx).fetch(key))!
  return { ...counts, sockets: countSockets(ctx) }
}

async function countAll(ctx: AppContext, key: string): Promise<Counts> {
  const [days, zone] = key.split(' ')
  const now = ctx.clock.now()
  const db = ctx.db.readInWorker
  const range = lastDays(now, Number(days), zone!)
  const { from } = range.spans[0]!
  // Processes give numbers and read their clocks one after the other, so times may be a little out of the order of ids.
  const fromId = await store.idBefore(db, from - HOUR, await lastNumber(db))
  const types = await store.countByType(db, fromId, from)
  const byDay = new Map((await store.countByDay(db, fromId, range.spans)).map((row) => [row.day, row]))
  return {
    ...(await store.totals(db, now)),
    activeUsers: await store.countSenders(db, fromId, from),
    byType: types.toSorted((a, b) => b.count - a.count || a.type.localeCompare(b.type)),
    byDay: Array.from({ length: range.lastDay - range.firstDay + 1 }, (_, i) => {
      const day = byDay.get(range.firstDay + i)
      return { date: dayName(range.firstDay + i), messages: day?.messages ?? 0, senders: day?.senders ?? 0 }
    }),
  }
}

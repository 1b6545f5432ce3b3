import { LRUCache } from 'lru-cache'

import { type AppContext, perContext } from '#context'
import type { MessageType } from '#db/schema/chat.ts'
import { changeSettings, getSetting } from '#domains/settings/index.ts'
import type { LoggedActor } from '#http/endpoint.ts'
import { countSockets } from '#http/socket.ts'
import { zoneOf } from '#http/validate.ts'
import { dayName, lastDays } from '#lib/days.ts'
import { QuarterHours } from '#lib/quarter-hours.ts'
import { ReadCache } from '#lib/read-cache.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { lastNumber } from '../chat.store.ts'
import {
  CHAT_SETTING_NAMES,
  type ChatSettings,
  type ChatSettingsChange,
  type ChatStats,
  type ChatStatsQuery,
} from './chat.admin.model.ts'
import { SenderQuarters, type SendersByDay } from './chat.admin.rules.ts'
import * as store from './chat.admin.store.ts'

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
    const { before, after } = await changeSettings(tx, actor, changes)
    return { result: undefined, logged: { before: withoutPrefix(before), after: withoutPrefix(after) } }
  })
  return showSettings(ctx)
}

const withoutPrefix = (values: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key.replace('chat.', ''), value]))

/** The days of the longest period. Its first day began at most so long ago, also where clocks were changed since. */
const LONGEST = 92 * DAY

/** Numbers for every period and every time zone. */
interface Snapshot {
  readonly at: number
  readonly totals: Awaited<ReturnType<typeof store.totals>>
  readonly byType: ReadonlyMap<MessageType, QuarterHours>
  readonly senders: SenderQuarters
  /** By period and time zone. */
  readonly counted: LRUCache<string, Promise<SendersByDay>>
}

const ALL = 0

const snapshots = perContext(
  (ctx) =>
    new ReadCache<typeof ALL, Snapshot>({
      max: 1,
      maxAge: MINUTE,
      now: () => ctx.clock.now(),
      load: () => takeSnapshot(ctx),
    }),
)

/** One computation at a time in each process, on the worker and in short statements, however many administrators ask. */
async function takeSnapshot(ctx: AppContext): Promise<Snapshot> {
  const at = ctx.clock.now()
  const from = at - LONGEST
  const { readInWorker: db } = await ctx.db.heavyReads()
  const totals = await store.totals(db, at)
  const byType = new Map<MessageType, QuarterHours>()
  const senders = new SenderQuarters()
  // Processes give numbers and read their clocks one after the other, so times may be a little out of the order of ids.
  const fromId = await store.idBefore(db, from - HOUR, await lastNumber(db))
  for await (const rows of store.countMessages(db, fromId, from))
    for (const { quarter, type, senderId, n } of rows) {
      let quarters = byType.get(type)
      if (quarters === undefined) byType.set(type, (quarters = new QuarterHours()))
      quarters.add(quarter, n)
      if (senderId !== null) senders.add(quarter, senderId)
    }
  return { at, totals, byType, senders, counted: new LRUCache({ max: 20 }) }
}

/** Up to a minute old. @throws AppError 400 for an unknown time zone */
export async function showStats(ctx: AppContext, query: ChatStatsQuery): Promise<ChatStats> {
  const zone = zoneOf(query)
  const { at, totals, byType, senders, counted } = snapshots(ctx).get(ALL) ?? (await snapshots(ctx).fetch(ALL))!
  const range = lastDays(at, Number(query.days), zone)
  const key = `${query.days} ${zone}`
  const counting = counted.get(key) ?? senders.count(range)
  counted.set(key, counting)
  const { byDay, all } = await counting
  const messages = [...byType.values()].map((quarters) => quarters.byDay(range))
  return {
    ...totals,
    activeUsers: all,
    byType: [...byType]
      .map(([type, quarters]) => ({ type, count: quarters.since(range) }))
      .filter((row) => row.count > 0)
      .toSorted((a, b) => b.count - a.count || a.type.localeCompare(b.type)),
    byDay: byDay.map((n, i) => ({
      date: dayName(range.firstDay + i),
      messages: messages.reduce((sum, days) => sum + days[i]!, 0),
      senders: n,
    })),
    sockets: countSockets(ctx),
  }
}

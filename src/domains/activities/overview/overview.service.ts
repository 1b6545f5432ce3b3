/** The numbers that an organizer follows while an activity runs. None of them is counted when it is asked for. */

import type { AppContext } from '#context'

import { findCounters } from '../activities.store.ts'
import { allLists } from '../check-in-lists/check-in-lists.store.ts'
import { expiryOf } from '../gate-links/gate-links.rules.ts'
import { registrationsPage } from '../registrations/registrations.store.ts'
import { type Asking, manageActivity } from '../visibility/visibility.service.ts'
import type { Overview } from './overview.model.ts'
import { isOnline, lastMinutes, nextSteps } from './overview.rules.ts'
import * as store from './overview.store.ts'

export async function getOverview(ctx: AppContext, id: number, asking: Asking): Promise<Overview> {
  const activity = await manageActivity(ctx, id, 'checkin:read', asking)
  const { read } = ctx.db
  const now = ctx.clock.now()
  const minutes = lastMinutes(now)
  const [counters, passes, lists, messages, gates, pending, registered, entries] = await Promise.all([
    findCounters(read, id),
    store.passTotals(read, id),
    allLists(read, id),
    store.messagesOf(read, id),
    activity.status === 'CANCELLED' ? [] : store.gatesOf(read, id, expiryOf({ expiresAt: null }, activity), now),
    store.countPending(read, id),
    // Without those that are pending.
    registrationsPage(read, id, { page: 1, size: 1 }),
    store.entriesByMinute(read, id, minutes[0]!, minutes.at(-1)!),
  ])
  const { confirmed, waiting } = counters
  const sums = { sent: 0, failed: 0 }
  for (const { counts } of messages) {
    sums.sent += counts === null ? 0 : counts.app.sent + counts.email.sent
    sums.failed += counts?.email.failed ?? 0
  }
  const lastMessageAt = messages.find(({ createdBy, state }) => createdBy !== null && state !== 'CANCELLED')?.sendAt
  return {
    registrations: {
      confirmed,
      waiting,
      pending,
      // The numbers are not of the same moment.
      cancelled: Math.max(0, registered.total - confirmed - waiting),
      capacity: activity.registration === null ? null : activity.capacity || null,
    },
    passes: { issued: counters.passes, used: passes.used, revoked: passes.revoked },
    checkIns: { total: counters.checkIns, users: counters.checkedInUsers },
    inside: passes.inside,
    lists: lists.map(({ id: listId, name, admitted, inside }) => ({ listId, name, admitted, inside })),
    gates: gates.map(({ gateId, name, admitted, refused, waiting: held, lastSeenAt }) => ({
      gateId,
      name,
      online: isOnline(lastSeenAt, now),
      admitted,
      refused,
      waiting: held,
      lastSeenAt,
    })),
    lastMinutes: minutes.map((at) => ({ at, entries: entries.get(at) ?? 0 })),
    messages: sums,
    next: nextSteps(activity, { counters, revoked: passes.revoked, gates: gates.length, lastMessageAt }, now),
  }
}

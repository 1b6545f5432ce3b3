import type { AppContext } from '#context'
import { can } from '#domains/access/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { forbidden } from '#http/errors.ts'
import { HOUR } from '#platform/clock.ts'

import { cleanDeviceName, deviceKey } from '../credentials.ts'
import type { LoginRecordView, LoginType, NewLoginRecord } from './model.ts'
import { insertRecord, pageOfRecords, type RecordFilter } from './store.ts'
import { toLoginRecordView } from './view.ts'

interface Paging {
  page: number
  size: number
}

const since = (ctx: AppContext, hours: number): number => ctx.clock.now() - hours * HOUR

async function list(ctx: AppContext, filter: RecordFilter, { page, size }: Paging) {
  const { items, total } = await pageOfRecords(ctx.db.read, filter, page, size)
  return { items: items.map(toLoginRecordView), total, page, size }
}

/** A client's own report of a login event. Address and time are the server's. */
export async function reportLogin(
  ctx: AppContext,
  actor: Actor,
  event: NewLoginRecord,
  caller: Caller,
): Promise<LoginRecordView> {
  const row = await ctx.db.write('accounts.reportLogin', (tx) =>
    insertRecord(tx, {
      userId: actor.userId,
      loginType: event.loginType,
      status: event.status ?? 'success',
      failureReason: event.failureReason ?? null,
      deviceKey: event.deviceId ? deviceKey(event.deviceId) : actor.deviceKey,
      deviceName: cleanDeviceName(event.deviceName || caller.deviceName),
      ipAddress: caller.ip,
      city: event.city ?? '',
      createdAt: ctx.clock.now(),
    }),
  )
  return toLoginRecordView(row)
}

/** Everybody sees their own; others' only with PLATFORM `login_record:read`. */
async function checkMayRead(ctx: AppContext, actor: Actor, userId: number): Promise<void> {
  if (userId !== actor.userId && !(await can(ctx, actor.userId, 'PLATFORM', 0, 'login_record:read')))
    throw forbidden('You may only see your own login records', '只能查看自己的登录记录')
}

export async function recordsOf(ctx: AppContext, actor: Actor, userId: number, paging: Paging) {
  await checkMayRead(ctx, actor, userId)
  return list(ctx, { userId }, paging)
}

export async function recentRecordsOf(ctx: AppContext, actor: Actor, userId: number, q: Paging & { hours: number }) {
  await checkMayRead(ctx, actor, userId)
  return list(ctx, { userId, since: since(ctx, q.hours) }, q)
}

export const ownFailures = (ctx: AppContext, actor: Actor, paging: Paging) =>
  list(ctx, { userId: actor.userId, status: 'failed' }, paging)

/** For administrators: everybody's. */
export const allRecords = (ctx: AppContext, q: Paging & { userId?: number; hours?: number; loginType?: LoginType }) =>
  list(
    ctx,
    {
      ...(q.userId !== undefined && { userId: q.userId }),
      ...(q.hours !== undefined && { since: since(ctx, q.hours) }),
      ...(q.loginType !== undefined && { loginType: q.loginType }),
    },
    q,
  )

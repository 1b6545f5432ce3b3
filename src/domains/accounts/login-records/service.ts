import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { can } from '#domains/access/index.ts'
import { cityOf } from '#domains/delivery/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { forbidden } from '#http/errors.ts'
import { ipNetworks } from '#lib/ip.ts'
import { HOUR } from '#platform/clock.ts'

import { consoleRefusal } from '../console/service.ts'
import { ANONYMOUS_USER_ID } from '../model.ts'
import { cleanDeviceName, deviceKey } from '../rules.ts'
import type { LoginEvent, LoginRecordView, LoginType, NewLoginRecord } from './model.ts'
import { insertRecord, type LoginRecordRow, pageOfRecords, type RecordFilter } from './store.ts'

/**
 * Inside a write. `userId` is `ANONYMOUS_USER_ID` if there is no such account: the write costs the same as for a wrong password,
 * and administrators see the attempt. `failureReason`: given if the event failed.
 */
export async function recordLogin(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  event: LoginEvent,
  failureReason?: string,
): Promise<void> {
  await insertRecord(tx, {
    userId,
    loginType: event.loginType,
    status: failureReason === undefined ? 'success' : 'failed',
    failureReason: failureReason ?? null,
    isReported: false,
    network: userId === ANONYMOUS_USER_ID ? ipNetworks(event.ip).at(-1)! : '',
    deviceKey: event.device.key,
    deviceName: event.device.name,
    ipAddress: event.ip,
    city: cityOf(ctx, event.ip),
    createdAt: ctx.clock.now(),
  })
}

/** Records an event that a client reports. Address and time are the server's. */
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
      isReported: true,
      deviceKey: event.deviceId ? deviceKey(event.deviceId) : actor.deviceKey,
      deviceName: cleanDeviceName(event.deviceName || caller.deviceName),
      ipAddress: caller.ip,
      city: event.city ?? '',
      createdAt: ctx.clock.now(),
    }),
  )
  return toView(row)
}

const toView = (r: LoginRecordRow): LoginRecordView => ({
  id: r.id,
  userId: r.userId === ANONYMOUS_USER_ID ? null : r.userId,
  deviceId: r.deviceKey,
  deviceName: r.deviceName,
  ipAddress: r.ipAddress,
  city: r.city,
  // Only `LoginType`s are ever written.
  loginType: r.loginType as LoginType,
  status: r.status,
  failureReason: r.failureReason,
  reportedByClient: r.isReported,
  createdAt: r.createdAt,
})

interface Paging {
  page: number
  size: number
}

async function list(ctx: AppContext, filter: RecordFilter, { page, size }: Paging) {
  const { items, total } = await pageOfRecords(ctx.db.read, filter, page, size)
  return { items: items.map(toView), total, page, size }
}

const since = (ctx: AppContext, hours: number): number => ctx.clock.now() - hours * HOUR

/** Users may read their own records; those of others need the PLATFORM point `login_record:read`. */
async function checkMayRead(ctx: AppContext, actor: Actor, userId: number): Promise<void> {
  if (userId === actor.userId) return
  if (!(await can(ctx, actor.userId, 'PLATFORM', 0, 'login_record:read')))
    throw forbidden('You may only see your own login records', '只能查看自己的登录记录')
  const refused = await consoleRefusal(ctx, actor.userId)
  if (refused) throw refused
}

export async function listRecords(ctx: AppContext, actor: Actor, userId: number, paging: Paging) {
  await checkMayRead(ctx, actor, userId)
  return list(ctx, { userId }, paging)
}

export async function listRecentRecords(ctx: AppContext, actor: Actor, userId: number, q: Paging & { hours: number }) {
  await checkMayRead(ctx, actor, userId)
  return list(ctx, { userId, since: since(ctx, q.hours) }, q)
}

export const listOwnFailures = (ctx: AppContext, actor: Actor, paging: Paging) =>
  list(ctx, { userId: actor.userId, status: 'failed' }, paging)

/** For administrators: the records of all users. */
export const listAllRecords = (
  ctx: AppContext,
  q: Paging & { userId?: number; hours?: number; loginType?: LoginType },
) =>
  list(
    ctx,
    {
      ...(q.userId !== undefined && { userId: q.userId }),
      ...(q.hours !== undefined && { since: since(ctx, q.hours) }),
      ...(q.loginType !== undefined && { loginType: q.loginType }),
    },
    q,
  )

/** Subscriptions of users: one for each device, bound to the session that made it. */

import { type AppContext, perContext } from '#context'
import type { Actor, Caller } from '#http/endpoint.ts'
import { limited, notFound, unauthorized } from '#http/errors.ts'
import { notForApiKeys } from '#http/key-access.ts'
import { invalid } from '#http/validate.ts'
import { timeZone } from '#lib/days.ts'
import { mayBePublic } from '#platform/public-post.ts'
import { areDeviceKeys, createVapid, type DeviceKeys } from '#platform/web-push.ts'

import { MAX_ENDPOINT, MAX_SUBSCRIPTIONS, type NewSubscription, type Subscription } from './push.model.ts'
import * as store from './push.store.ts'

/**
 * The key pair of this server, derived from its secret: browsers bind subscriptions to the public key, and without the secret the keys of
 * the subscriptions cannot be read either.
 */
export const vapidOf = perContext((ctx) => createVapid(ctx.seal.derive('web push key v1'), ctx.config.publicUrl))

export const pushKey = (ctx: AppContext): { publicKey: string } => ({ publicKey: vapidOf(ctx).publicKey })

/** Undefined if the server's secret has changed. */
export function keysOf(ctx: AppContext, { keys }: store.SubscriptionRow): DeviceKeys | undefined {
  const text = ctx.seal.open(keys)
  return text === undefined ? undefined : (JSON.parse(text) as DeviceKeys)
}

/** Repeating it with the same endpoint changes the subscription. */
export async function subscribe(
  ctx: AppContext,
  { userId, sessionId, key: apiKey }: Actor,
  { locale }: Caller,
  body: NewSubscription,
): Promise<Subscription> {
  // A subscription ends with its session, which a program has none of.
  if (apiKey !== undefined) throw notForApiKeys
  const endpoint = endpointOf(ctx, body.endpoint)
  const quiet = quietHoursOf(body)
  if (!(await areDeviceKeys(body.keys))) throw invalid('body.keys', 'are not keys of a device', '密钥无效')
  const { p256dh, auth } = body.keys
  const keys = ctx.seal.seal(JSON.stringify({ p256dh, auth }))
  const row = await ctx.db.write('push.subscribe', async (tx) => {
    // The session may have ended since the request was admitted.
    if (!(await store.hasSession(tx, userId, sessionId))) throw unauthorized('The session has ended', '会话已结束')
    if ((await store.countOthers(tx, userId, endpoint)) >= MAX_SUBSCRIPTIONS)
      throw limited(
        `A user can have at most ${MAX_SUBSCRIPTIONS} push subscriptions`,
        `推送订阅最多 ${MAX_SUBSCRIPTIONS} 个`,
      )
    return store.saveSubscription(tx, { userId, sessionId, endpoint, keys, ...quiet, locale, createdAt: tx.stamp })
  })
  return toView(row, sessionId)
}

function endpointOf({ config }: AppContext, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.href.length > MAX_ENDPOINT || !mayBePublic(url, config.pushServices))
    throw invalid('body.endpoint', 'must be an https address on the public internet', '须为公网 https 地址')
  url.hash = ''
  return url.href
}

function quietHoursOf({ quietFrom = null, quietTo = null, timeZone: text = 'UTC' }: NewSubscription) {
  if ((quietFrom === null) !== (quietTo === null))
    throw invalid(
      quietFrom === null ? 'body.quietFrom' : 'body.quietTo',
      'is required: give quietFrom and quietTo together',
      '不能为空：quietFrom 与 quietTo 须同时提供',
    )
  if (quietFrom !== null && quietFrom === quietTo)
    throw invalid('body.quietTo', 'must differ from quietFrom', '不能与 quietFrom 相同')
  const zone = timeZone(text)
  if (zone === undefined) throw invalid('body.timeZone', 'is not a time zone', '时区无效')
  return { quietFrom, quietTo, timeZone: zone }
}

export const listSubscriptions = async (ctx: AppContext, { userId, sessionId }: Actor) => ({
  items: (await store.subscriptionsOf(ctx.db.read, userId)).map((row) => toView(row, sessionId)),
})

export const unsubscribe = (ctx: AppContext, { userId }: Actor, id: number): Promise<void> =>
  ctx.db.write('push.unsubscribe', async (tx) => {
    if (!(await store.deleteSubscription(tx, userId, id))) throw notFound()
  })

/** Without the keys, and of the endpoint only its host: anyone who has it can reach the device. */
const toView = (row: store.SubscriptionRow, sessionId: number): Subscription => ({
  id: row.id,
  host: new URL(row.endpoint).host,
  current: row.sessionId === sessionId,
  quietFrom: row.quietFrom,
  quietTo: row.quietTo,
  timeZone: row.timeZone,
  locale: row.locale,
  createdAt: row.createdAt,
  lastSuccessAt: row.lastSuccessAt,
})

/** Keys with which programs ask in the name of a user: made, limited and ended by their owner. */

import type { AppContext } from '#context'
import { mapPage, type Page, type PageInput } from '#db/paging.ts'
import type { Db, Tx } from '#db/store.ts'
import { isSystemAdmin, permissionSet, systemAdminOnly } from '#domains/access/index.ts'
import {
  isDeviceOnly,
  notifyAccountHolder,
  ownEvent,
  recordLogin,
  requireConfirmationOfAll,
} from '#domains/accounts/index.ts'
import { ownersOf } from '#domains/admin/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { badRequest, forbidden, notFound } from '#http/errors.ts'
import { API_KEY_RANDOM, apiKeyOf, BASE62 } from '#lib/api-key.ts'
import { plainName } from '#lib/text.ts'
import { DAY } from '#platform/clock.ts'
import { randomCode, sha256 } from '#platform/ids.ts'

import {
  type ApiKeyView,
  type ChangedApiKey,
  type CreatedApiKey,
  MAX_KEYS_OF_ORG,
  MAX_KEYS_OF_USER,
  type NewApiKey,
  type OrgApiKeyView,
  PREFIX_LENGTH,
  TOLD_DAYS,
} from './api-keys.model.ts'
import { expiryOf, networksOf, requireLess, requirePoints, scopeOf } from './api-keys.rules.ts'
import * as store from './api-keys.store.ts'

const deviceOnly = () =>
  forbidden(
    'Set a password or bind a phone or e-mail first: an account that only this device can open makes no API keys',
    '请先设置密码或绑定手机、邮箱：仅凭设备登录的账号不能创建 API 密钥',
  )
const tooManyKeys = () =>
  badRequest(`You may have at most ${MAX_KEYS_OF_USER} API keys`, `每个用户最多 ${MAX_KEYS_OF_USER} 个 API 密钥`)
const tooManyKeysOfOrg = () =>
  badRequest(
    `The members of an organization may have at most ${MAX_KEYS_OF_ORG} API keys for it`,
    `每个组织的成员最多共有 ${MAX_KEYS_OF_ORG} 个该组织的 API 密钥`,
  )
const keyEnded = () => badRequest('This API key has ended', '该 API 密钥已失效')

export const toKeyView = (row: store.KeyRow): ApiKeyView => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  domain: row.domain,
  orgId: row.orgId === 0 ? null : row.orgId,
  points: [...row.points],
  networks: [...row.networks],
  mcp: row.mcp,
  expiresAt: row.expiresAt,
  lastUsedAt: row.lastUsedAt,
  lastAddress: row.lastAddress,
  createdAt: row.createdAt,
  revokedAt: row.revokedAt,
})

/** A notice to the owner with the name of the key, never the key. */
export const noticeAbout = <K extends 'API_KEY_CREATED' | 'API_KEY_REVOKED' | 'API_KEY_EXPIRING'>(
  kind: K,
  { id, name }: Pick<store.KeyRow, 'id' | 'name'>,
) => {
  const key = plainName(name)
  return { kind, about: { key }, line: { en: `API key “${key}”`, zh: `API 密钥“${key}”` }, data: { apiKeyId: id } }
}

export const listKeys = async (ctx: AppContext, { userId }: Actor, query: PageInput): Promise<Page<ApiKeyView>> =>
  mapPage(await store.keysOfUser(ctx.db.read, userId, query), toKeyView)

/** The key is part of this answer only: the database has its hash. @throws AppError 400, 403 */
export async function createKey(
  ctx: AppContext,
  actor: Actor,
  body: NewApiKey,
  caller: Caller,
): Promise<CreatedApiKey> {
  const { userId } = actor
  const { domain, orgId } = scopeOf(body)
  const now = ctx.clock.now()
  const expiresAt = expiryOf(body.expiresAt, now)
  const networks = networksOf(body.networks ?? [])
  await requireConfirmationOfAll(ctx, actor)
  if (await isDeviceOnly(ctx.db.read, userId)) throw deviceOnly()
  if (domain === 'PLATFORM' && !(await isSystemAdmin(ctx.db.read, actor))) throw systemAdminOnly()
  requirePoints(domain, body.points, await permissionSet(ctx, userId, domain, orgId))
  const key = apiKeyOf(randomCode(BASE62, API_KEY_RANDOM))
  const row = await ctx.db.write('apiKeys.create', async (tx) => {
    if ((await store.countLive(tx, { userId }, now)) >= MAX_KEYS_OF_USER) throw tooManyKeys()
    if (orgId !== 0 && (await store.countLive(tx, { orgId }, now)) >= MAX_KEYS_OF_ORG) throw tooManyKeysOfOrg()
    const created = await store.insertKey(tx, {
      userId,
      name: body.name,
      prefix: key.slice(0, PREFIX_LENGTH),
      keyHash: sha256(key),
      domain,
      orgId,
      points: [...body.points],
      networks,
      mcp: body.mcp ?? 'OFF',
      expiresAt,
      // Who makes a key for a few days knows when it ends.
      toldAt: expiresAt - now <= TOLD_DAYS * DAY ? now : null,
    })
    const event = ownEvent('api_key_create', actor, caller)
    await recordLogin(ctx, tx, userId, event)
    await notifyAccountHolder(ctx, tx, userId, event, noticeAbout('API_KEY_CREATED', created))
    return created
  })
  return { ...toKeyView(row), key }
}

/** @throws AppError 400 for a change that gives the key more, or of a key that has ended; 404 for the key of another user */
export async function changeKey(
  ctx: AppContext,
  { userId }: Actor,
  id: number,
  body: ChangedApiKey,
): Promise<ApiKeyView> {
  const networks = body.networks == null ? undefined : networksOf(body.networks)
  return ctx.db.write('apiKeys.change', async (tx) => {
    const now = ctx.clock.now()
    const before = await store.findKey(tx, id, { userId })
    if (before === undefined) throw notFound()
    if (before.revokedAt !== null || before.expiresAt <= now) throw keyEnded()
    requireLess(before, body, now)
    const change = {
      ...(body.name != null && { name: body.name }),
      ...(networks && { networks }),
      ...(body.expiresAt != null && { expiresAt: body.expiresAt }),
      ...(body.mcp != null && { mcp: body.mcp }),
    }
    if (Object.keys(change).length === 0) return toKeyView(before)
    const after = await store.updateKey(tx, userId, id, change)
    if (after === undefined) throw keyEnded()
    return toKeyView(after)
  })
}

/** Ending a key that has ended changes nothing. @throws AppError 404 for the key of another user */
export async function revokeOwnKey(ctx: AppContext, { userId }: Actor, id: number): Promise<void> {
  await ctx.db.write('apiKeys.revoke', async (tx) => {
    if ((await store.findKey(tx, id, { userId })) === undefined) throw notFound()
    await store.revokeKey(tx, id, ctx.clock.now())
  })
}

/** With the owners of the keys, in one query. */
export async function withOwners(db: Db, rows: readonly store.KeyRow[]): Promise<OrgApiKeyView[]> {
  const ownerOf = await ownersOf(db, rows)
  return rows.map((row) => ({ ...toKeyView(row), owner: ownerOf(row).owner }))
}

export async function listKeysOfOrg(ctx: AppContext, orgId: number, query: PageInput): Promise<Page<OrgApiKeyView>> {
  const { items, ...page } = await store.keysOfOrg(ctx.db.read, orgId, query)
  return { ...page, items: await withOwners(ctx.db.read, items) }
}

/** @throws AppError 404 for a key that is for something else */
export async function revokeKeyOfOrg(
  ctx: AppContext,
  actor: Actor,
  orgId: number,
  id: number,
  caller: Caller,
): Promise<void> {
  await ctx.db.write('apiKeys.revokeOfOrg', async (tx) => {
    const key = await store.findKey(tx, id, { orgId })
    if (key === undefined) throw notFound()
    await endKey(ctx, tx, actor, key, caller)
  })
}

/** Inside a write: ends the key, and notifies its owner unless they have done it themselves. False if it had ended. */
export async function endKey(
  ctx: AppContext,
  tx: Tx,
  actor: Actor,
  key: store.KeyRow,
  caller: Caller,
): Promise<boolean> {
  if (!(await store.revokeKey(tx, key.id, ctx.clock.now()))) return false
  if (key.userId === actor.userId) return true
  // Without an address, because users do not see those of administrators.
  const device = { key: '', name: 'administrator' }
  const event = { loginType: 'api_key_revoke', device, ip: '', locale: caller.locale } as const
  await recordLogin(ctx, tx, key.userId, event)
  await notifyAccountHolder(ctx, tx, key.userId, event, noticeAbout('API_KEY_REVOKED', key))
  return true
}

/** @throws AppError 404 if it has ended in this moment */
export async function getSelf(ctx: AppContext, { userId, key }: Actor): Promise<ApiKeyView> {
  const row = await store.findKey(ctx.db.read, key!.id, { userId })
  if (row === undefined) throw notFound()
  return toKeyView(row)
}

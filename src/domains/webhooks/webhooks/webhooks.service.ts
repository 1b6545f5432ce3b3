/** Webhooks of users, of organizations, and of the server. */

import type { AppContext } from '#context'
import { ownerExists } from '#db/owner-counts.ts'
import { orgOf, type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { mapPage, type Page, type PageInput } from '#db/paging.ts'
import { finishInSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import { can, holdsAnyPlatformRole, requirePoint } from '#domains/access/index.ts'
import { requireConfirmationOfAll } from '#domains/accounts/index.ts'
import type { Job } from '#domains/domain.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor, LogEntry, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { MINUTE } from '#platform/clock.ts'
import { bytes, sha256 } from '#platform/ids.ts'

import * as refused from '../webhooks.errors.ts'
import { webhooksChanged } from './switching.service.ts'
import {
  type CreateWebhook,
  LIMITS,
  type NewWebhookView,
  ROTATION_MS,
  TEST_EVENT,
  typesFor,
  type UpdateWebhook,
  type WebhooksQuery,
  type WebhookView,
} from './webhooks.model.ts'
import { firstUnknown, secretText, SERVER, urlProblem } from './webhooks.rules.ts'
import * as store from './webhooks.store.ts'

/** Who asks, and whether for the server: an administrator, whose writes are logged, or for themselves and their organizations. */
export interface Asking {
  readonly actor: Actor
  /** The operation log of a write for the server. */
  readonly logged?: LoggedActor
  readonly isOfServer: boolean
}

export const asUser = (actor: Actor): Asking => ({ actor, isOfServer: false })
export const asServer = (actor: Actor): Asking => ({ actor, isOfServer: true })
export const asLogged = (logged: LoggedActor): Asking => ({ actor: logged, logged, isOfServer: true })

const POINT = 'org:update'

/** @throws AppError 403 */
async function ownerFor(ctx: AppContext, { actor, isOfServer }: Asking, orgId: number): Promise<OwnerKey> {
  if (isOfServer) return SERVER
  if (orgId !== 0) await requirePoint(ctx, actor.userId, orgId, POINT)
  return ownerKey({ userId: actor.userId, orgId })
}

/** @throws AppError 404 unless the caller may know of the webhook, 403 unless they may manage it */
export async function findOrFail(
  ctx: AppContext,
  { actor, isOfServer }: Asking,
  id: number,
  orgId?: number | null,
): Promise<store.WebhookRow> {
  const row = await store.findWebhook(ctx.db.read, id)
  if (row === undefined || (row.owner === SERVER) !== isOfServer) throw notFound()
  if (isOfServer) return row
  const of = orgOf(row.owner)
  if (orgId != null && orgId !== of) throw notFound()
  if (of === 0 && row.owner !== -actor.userId) throw notFound()
  if (of !== 0 && !(await can(ctx, actor.userId, 'ORG', of, POINT))) {
    if (!(await can(ctx, actor.userId, 'ORG', of, 'org:read'))) throw notFound()
    await requirePoint(ctx, actor.userId, of, POINT)
  }
  return row
}

/** The same row in a write: it may have ended meanwhile. */
export async function findSame(tx: Tx, { id }: store.WebhookRow): Promise<store.WebhookRow> {
  const row = await store.findWebhook(tx, id)
  if (row === undefined) throw notFound()
  return row
}

/** A write, which for the server is logged. */
export async function writeFor<T>(
  ctx: AppContext,
  { logged }: Asking,
  name: string,
  fn: (tx: Tx) => Promise<{ readonly result: T; readonly logged: LogEntry | 'unchanged' }>,
): Promise<T> {
  return logged === undefined ? ctx.db.write(name, async (tx) => (await fn(tx)).result) : logged.write(name, fn)
}

/** The fields in the operation log. Paths of addresses can be secrets. */
const shownInLog = ({ name, url, events, enabled }: Pick<store.WebhookRow, 'name' | 'url' | 'events' | 'enabled'>) => ({
  name,
  origin: new URL(url).origin,
  urlSha256: sha256(url).slice(0, 12),
  events,
  enabled,
})

export async function listWebhooks(
  ctx: AppContext,
  asking: Asking,
  { orgId = 0, ...page }: WebhooksQuery & PageInput,
): Promise<Page<WebhookView>> {
  return mapPage(await store.webhooksPage(ctx.db.read, await ownerFor(ctx, asking, orgId), page), toView)
}

export const getWebhook = async (ctx: AppContext, asking: Asking, id: number, orgId?: number): Promise<WebhookView> =>
  toView(await findOrFail(ctx, asking, id, orgId))

export async function createWebhook(ctx: AppContext, asking: Asking, input: CreateWebhook): Promise<NewWebhookView> {
  const { userId } = asking.actor
  const owner = await ownerFor(ctx, asking, input.orgId ?? 0)
  await requireConfirmationOfAll(ctx, asking.actor)
  await requireEnabled(ctx)
  const scope: store.WebhookRow['scope'] = owner === SERVER ? 'PLATFORM' : owner > 0 ? 'ORG' : 'USER'
  checkInput(ctx, scope, input)
  const needsAddress = scope === 'USER' && !(await holdsAnyPlatformRole(ctx, userId))
  const secret = secretText(bytes(32))
  const { name, url, events, enabled = true } = input
  const row = await writeFor(ctx, asking, 'webhooks.create', async (tx) => {
    if (needsAddress && !(await store.hasProvedAddress(tx, userId))) throw refused.needsAddress()
    if (scope === 'ORG' && !(await ownerExists(tx, owner))) throw notFound()
    if ((await store.countWebhooks(tx, owner)) >= LIMITS[scope]) throw refused.tooMany(LIMITS[scope])
    const values = { scope, owner, userId, name, url, events: [...new Set(events)], enabled }
    const inserted = await store.insertWebhook(tx, { ...values, secret: ctx.seal.seal(secret) })
    tx.publish(webhooksChanged, [owner])
    return { result: inserted, logged: { targetId: inserted.id, targetName: name, after: shownInLog(inserted) } }
  })
  return { ...toView(row), secret }
}

function checkInput(
  ctx: AppContext,
  scope: store.WebhookRow['scope'],
  { url, events }: Pick<UpdateWebhook, 'url' | 'events'>,
): void {
  const problem = url === undefined ? undefined : urlProblem(url, ctx.config.privateTargets)
  if (problem !== undefined) throw problem === 'port' ? refused.refusedPort() : refused.notPublic()
  const unknown = events === undefined ? -1 : firstUnknown(events, [...typesFor(scope), TEST_EVENT])
  if (unknown >= 0) throw refused.unknownEvents(events![unknown]!, unknown)
}

export async function requireEnabled(ctx: AppContext): Promise<void> {
  if (!(await getSetting(ctx, 'webhooks.enabled'))) throw refused.switchedOff()
}

export async function updateWebhook(
  ctx: AppContext,
  asking: Asking,
  id: number,
  input: UpdateWebhook,
): Promise<WebhookView> {
  const seen = await findOrFail(ctx, asking, id, input.orgId)
  if (input.url !== undefined && input.url !== seen.url) await requireConfirmationOfAll(ctx, asking.actor)
  checkInput(ctx, seen.scope, input)
  const row = await writeFor(ctx, asking, 'webhooks.update', async (tx) => {
    const before = await findSame(tx, seen)
    const change = changeOf(before, input, tx.stamp)
    if (Object.keys(change).length === 0) return { result: before, logged: 'unchanged' }
    const after = await store.changeWebhook(tx, before, { ...change, updatedAt: tx.stamp })
    if (change.enabled === true) await store.makeDue(tx, id, ctx.clock.now())
    tx.publish(webhooksChanged, [before.owner])
    const entry = { targetId: id, targetName: after.name, before: shownInLog(before), after: shownInLog(after) }
    return { result: after, logged: entry }
  })
  return toView(row)
}

function changeOf(row: store.WebhookRow, input: UpdateWebhook, now: number): Partial<store.WebhookRow> {
  const { name = row.name, url = row.url, enabled = row.enabled } = input
  const events = input.events === undefined ? row.events : [...new Set(input.events)]
  const switching = enabled
    ? { enabled: true, disabledReason: null, enabledAt: now, failures: 0, isFast: false }
    : { enabled: false, disabledReason: 'OWNER' as const, dueAt: null }
  return {
    ...(name !== row.name && { name }),
    // A new receiver starts without the past of the old one.
    ...(url !== row.url && { url, failures: 0, isFast: false, enabledAt: now }),
    ...(JSON.stringify(events) !== JSON.stringify(row.events) && { events }),
    ...(enabled !== row.enabled && switching),
  }
}

export async function deleteWebhook(ctx: AppContext, asking: Asking, id: number, orgId?: number): Promise<void> {
  const seen = await findOrFail(ctx, asking, id, orgId)
  await writeFor(ctx, asking, 'webhooks.delete', async (tx) => {
    const row = await findSame(tx, seen)
    await store.changeWebhook(tx, row, { enabled: false, dueAt: null, deletedAt: tx.stamp })
    tx.publish(webhooksChanged, [row.owner])
    return { result: undefined, logged: { targetId: id, targetName: row.name, before: shownInLog(row) } }
  })
}

/** The secret before it also signs for a day. */
export async function renewSecret(
  ctx: AppContext,
  asking: Asking,
  id: number,
  orgId?: number,
): Promise<{ secret: string }> {
  const seen = await findOrFail(ctx, asking, id, orgId)
  const secret = secretText(bytes(32))
  await writeFor(ctx, asking, 'webhooks.renewSecret', async (tx) => {
    const row = await findSame(tx, seen)
    const previousUntil = ctx.clock.now() + ROTATION_MS
    const sealed = { secret: ctx.seal.seal(secret), previousSecret: row.secret, previousUntil, updatedAt: tx.stamp }
    await store.changeWebhook(tx, row, sealed)
    const entry = { targetId: id, targetName: row.name, before: { renewed: false }, after: { renewed: true } }
    return { result: undefined, logged: entry }
  })
  return { secret }
}

/** In the write that deletes the account or dissolves the organization. */
export async function endWebhooksOf(tx: Tx, owner: OwnerKey): Promise<void> {
  if (await store.endWebhooks(tx, owner)) tx.publish(webhooksChanged, [owner])
}

/** Deletes webhooks that have ended, with their deliveries. */
const deleteEnded = (ctx: AppContext): Promise<void> =>
  finishInSlices(ctx, 'webhooks.deleteEnded', {
    first: store.firstEnded,
    work: (tx, id, limit) => store.deleteDeliveries(tx, id, limit),
    end: (tx, id) => store.deleteEnded(tx, id),
  })

export const deleteEndedJob: Job = { name: 'webhooks.deleteEnded', every: MINUTE, run: deleteEnded }

const toView = (row: store.WebhookRow): WebhookView => ({
  id: row.id,
  scope: row.scope,
  orgId: orgOf(row.owner) || null,
  name: row.name,
  url: row.url,
  events: row.events,
  enabled: row.enabled,
  disabledReason: row.disabledReason,
  pending: row.pending,
  lastSuccessAt: row.lastSuccessAt,
  lastFailureAt: row.lastFailureAt,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

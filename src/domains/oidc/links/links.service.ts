/** Identities at providers: which ones a user has linked, and the sessions that they opened. */

import type { AppContext } from '#context'
import { inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import * as accounts from '#domains/accounts/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { lastWayIn } from '../oidc.errors.ts'
import { MAX_LINKS } from '../oidc.model.ts'
import { listProviders, type ProviderRow } from '../providers/providers.store.ts'
import type { LinkedIdentities } from './links.model.ts'
import * as store from './links.store.ts'

/** Those of enabled providers. */
export async function listLinks(ctx: AppContext, { userId }: Actor): Promise<LinkedIdentities> {
  const providers = (await listProviders(ctx.db.read)).filter((provider) => provider.enabled)
  const own = await accounts.identitiesOf(ctx.db.read, userId)
  return {
    items: own.flatMap(({ id, issuer, createdAt, lastUsedAt }) => {
      const provider = providers.find((one) => one.issuer === issuer)
      return provider ? [{ id, provider: provider.key, name: provider.name, createdAt, lastUsedAt }] : []
    }),
  }
}

/** Ends the sessions that it opened, except for the caller's. @throws AppError 400 if it is the last way to sign in */
export async function unlink(ctx: AppContext, actor: Actor, id: number, caller: Caller): Promise<void> {
  await accounts.requireConfirmationOfAll(ctx, actor)
  const { userId } = actor
  const event = accounts.ownEvent('oidc_unlink', actor, caller)
  await ctx.db.write('oidc.unlink', async (tx) => {
    const own = await accounts.identitiesOf(tx, userId)
    const identity = own.find((one) => one.id === id && one.provider === 'OIDC')
    const user = await accounts.userById(tx, userId)
    if (identity === undefined || user === undefined) throw notFound()
    const others = (await accounts.isLocalSignInOff(ctx, tx, userId)) ? own.filter((i) => i.provider === 'OIDC') : own
    if (!accounts.canStillSignIn(user, others, id)) throw lastWayIn()
    await accounts.deleteIdentity(tx, userId, id)
    const opened = await store.sessionsOfIdentity(tx, identity.credential)
    await endAll(
      ctx,
      tx,
      opened.filter((session) => session.id !== actor.sessionId),
    )
    await accounts.recordLogin(ctx, tx, userId, event)
    await accounts.notifyAccountHolder(ctx, tx, userId, event, {
      kind: 'IDENTITY_UNBOUND',
      about: { identity: identity.providerName ?? identity.issuer ?? '' },
    })
  })
}

export interface NewLink {
  readonly userId: number
  readonly credential: string
  readonly provider: ProviderRow
  /** Of the device on which the signed-in user links it; empty if the provider's word alone does. */
  readonly deviceKey: string
}

/** Inside a write: links an identity that nobody has, and notifies the user. False if the user has too many, or another user was faster. */
export async function insertLink(
  ctx: AppContext,
  tx: Tx,
  { userId, credential, provider, deviceKey }: NewLink,
  event: accounts.LoginEvent,
): Promise<boolean> {
  const own = await accounts.identitiesOf(tx, userId)
  if (own.filter((one) => one.provider === 'OIDC').length >= MAX_LINKS) return false
  const { issuer, name } = provider
  const identity = { userId, provider: 'OIDC', credential, verified: true, boundOn: deviceKey, issuer } as const
  if (!(await accounts.insertIdentity(tx, identity))) return false
  await accounts.recordLogin(ctx, tx, userId, event)
  await accounts.notifyAccountHolder(ctx, tx, userId, event, { kind: 'IDENTITY_BOUND', about: { identity: name } })
  return true
}

/** Inside a write. */
export async function endAll(
  ctx: AppContext,
  tx: Tx,
  opened: readonly { readonly id: number; readonly userId: number }[],
): Promise<void> {
  for (const [userId, some] of Map.groupBy(opened, (session) => session.userId))
    await accounts.endSessions(ctx, tx, { userId, ids: some.map(({ id }) => id) })
}

const endInSlices = (ctx: AppContext, find: (tx: Tx, limit: number) => Promise<Parameters<typeof endAll>[2]>) =>
  inSlices(ctx, 'oidc.endSessions', async (tx, limit) => {
    const some = await find(tx, limit)
    await endAll(ctx, tx, some)
    return some.length
  })

/** Ends the sessions of providers that are disabled or deleted. */
export const endOrphanedSessions = (ctx: AppContext): Promise<void> => endInSlices(ctx, store.orphanedSessions)

/** Ends all sessions of a provider. */
export const endSessionsOf = (ctx: AppContext, providerId: number): Promise<void> =>
  endInSlices(ctx, (tx, limit) => store.sessionsOfProvider(tx, providerId, limit))

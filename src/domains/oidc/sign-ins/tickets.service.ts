/** Exchanges the ticket of a sign-in for a session. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import * as accounts from '#domains/accounts/index.ts'
import type { Caller } from '#http/endpoint.ts'
import { sha256 } from '#platform/ids.ts'

import { insertLink } from '../links/links.service.ts'
import { findIdentity, insertSession, noteLinked, noteUse } from '../links/links.store.ts'
import { ticketInvalid } from '../oidc.errors.ts'
import { LONG_TICKET_MS, TICKET_TRIES } from '../oidc.model.ts'
import { findProvider, type ProviderRow } from '../providers/providers.store.ts'
import { applyRoles } from '../roles/roles.service.ts'
import { belongsTo, type Kept } from './callbacks.service.ts'
import type { TicketExchange } from './sign-ins.model.ts'
import * as store from './sign-ins.store.ts'

/** @throws AppError 400 for a ticket that is not valid, 403 for a disabled account and (code 4032) for a missing second factor */
export async function exchangeTicket(
  ctx: AppContext,
  body: TicketExchange,
  request: Request,
  caller: Caller,
): Promise<accounts.LoginResponse> {
  const hash = sha256(body.ticket)
  const ticket = await store.findTicket(ctx.db.read, hash, ctx.clock.now())
  if (ticket === undefined || !belongsTo(ticket, request, body.codeVerifier)) throw ticketInvalid()
  const provider = await findProvider(ctx.db.read, ticket.providerId)
  if (!provider?.enabled) throw ticketInvalid()
  const { userId } = ticket
  const event = accounts.loginEvent('oidc', caller, body)
  const isAdministrator = await accounts.holdsPlatformRole(ctx.db.read, userId)
  const hasFactor = provider.trustMfa && ticket.hasFactor && !isAdministrator
  const factor = hasFactor ? undefined : await proveFactor(ctx, ticket, body, event)
  const kept = JSON.parse(ctx.seal.open(ticket.claims) ?? 'null') as Kept | null
  if (kept === null) throw ticketInvalid()
  const user = await accounts.userById(ctx.db.read, userId)
  if (user?.status === 'ACTIVE' && kept.groups !== undefined)
    await applyRoles(ctx, provider, userId, kept.groups, caller)
  const grant = await ctx.db.write('oidc.signIn', async (tx) => {
    if ((await store.takeTicket(tx, hash, ctx.clock.now())) === undefined) throw ticketInvalid()
    if (!(await findProvider(tx, provider.id))?.enabled) throw ticketInvalid()
    await requireLink(ctx, tx, provider, ticket, kept)
    if (hasFactor && (await accounts.holdsPlatformRole(tx, userId))) throw ticketInvalid()
    const opened = await accounts.signIn(ctx, tx, userId, event, { factor, provider: { hasFactor } })
    await insertSession(tx, {
      sessionId: opened.sessionId,
      providerId: provider.id,
      credential: ticket.credential,
      sid: kept.sid === undefined ? null : sha256(kept.sid),
      idToken: provider.logout === 'PROVIDER' ? ctx.seal.seal(kept.idToken) : null,
    })
    await noteUse(tx, userId, ticket.credential, ctx.clock.now())
    return opened
  })
  return accounts.loginResponse(ctx, grant, caller, ticket.isNewUser)
}

/** An exchange without a second factor uses no try. */
async function proveFactor(
  ctx: AppContext,
  { hash, userId, createdAt }: store.TicketRow,
  given: accounts.GivenFactor,
  event: accounts.LoginEvent,
): Promise<accounts.Factor | undefined> {
  if (!(await accounts.hasSecondFactor(ctx.db.read, userId))) return undefined
  const [now, expiresAt] = [ctx.clock.now(), createdAt + LONG_TICKET_MS]
  const use = { now, expiresAt, cost: given.totp || given.passkey ? 1 : 0, most: TICKET_TRIES } as const
  if (!(await ctx.db.write('oidc.countTry', (tx) => store.countTry(tx, hash, use)))) throw ticketInvalid()
  return accounts.proveFactorAlone(ctx, userId, given, event)
}

/** The identity may have been unlinked, and the user may have become an administrator, since the ticket was made. */
async function requireLink(
  ctx: AppContext,
  tx: Tx,
  provider: ProviderRow,
  { userId, credential }: store.TicketRow,
  { linkOn }: Kept,
): Promise<void> {
  const known = await findIdentity(tx, credential)
  if (known === undefined && linkOn !== undefined) {
    const event = { loginType: 'oidc_link', device: { key: linkOn, name: '' }, ip: '', locale: 'en' } as const
    if (await insertLink(ctx, tx, { userId, credential, provider, deviceKey: linkOn }, event)) return
  }
  if (known?.userId !== userId) throw ticketInvalid()
  if (known.boundOn === '' && linkOn !== undefined) return noteLinked(tx, known.id, linkOn)
  if (known.boundOn === '' && (await accounts.holdsPlatformRole(tx, userId))) throw ticketInvalid()
}

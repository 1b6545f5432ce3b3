/** Ends, inside the write that changes a credential, what the table of credentials.rules.ts says. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { emit } from '#domains/domain.ts'

import { deleteCodes } from './codes/codes.store.ts'
import { type CredentialChange, ENDED, type Ended } from './credentials.rules.ts'
import { deleteLinksInto, deleteLinksOf } from './links/links.store.ts'
import { deleteDevicesOf, forgetDevice } from './login-records/login-records.store.ts'
import { unlock } from './passwords/failure-lock.ts'
import { revokeAllSessions, revokeLinkedSessions, revokeOpenedSessions, revokeSessions } from './sessions/lifecycle.ts'
import { activeOf, sessionsOfDevice } from './sessions/sessions.store.ts'
import { canStillSignIn } from './users/users.rules.ts'
import { deleteIdentity, identitiesOf, type IdentityRow, userById } from './users/users.store.ts'

/** Whose access ends, and what the row of the table needs to know. */
export interface Subject {
  readonly userId: number
  /** Of the device that asked for the change, or that is removed; empty for none of the user's. */
  readonly deviceKey: string
  /** For a removed link: the account it led to. */
  readonly linkedUserId?: number
}

export interface Outcome {
  /** Whether a session of the account was active and ended. */
  readonly endedSessions: boolean
  /** Whether DEVICE identities stayed, because they are the only way to sign in. */
  readonly keptDeviceIdentities: boolean
}

/** Call it after the credential has changed, as it asks how the user can still sign in. */
export async function endAccess(ctx: AppContext, tx: Tx, change: CredentialChange, subject: Subject): Promise<Outcome> {
  const { userId, deviceKey } = subject
  const row: Ended = ENDED[change]
  const endedSessions = await endOwnSessions(ctx, tx, row, subject)
  await endOpenedSessions(ctx, tx, row.opened, subject)
  if (row.links === 'both') await deleteLinksOf(tx, userId)
  if (row.links === 'incoming') await deleteLinksInto(tx, userId)
  if (row.knownDevices === 'all') await deleteDevicesOf(tx, userId)
  if (row.knownDevices === 'device') await forgetDevice(tx, userId, deviceKey, ctx.clock.now())
  if (row.secretLinks) await emit(ctx, tx, 'user.secretLinksEnded', { userId })
  const identities = await identitiesOf(tx, userId)
  if (row.codes) {
    const contacts = identities.filter((i) => i.provider !== 'DEVICE').map((i) => i.credential)
    await deleteCodes(tx, userId, contacts)
  }
  if (row.lock) await unlock(tx, userId)
  return { endedSessions, keptDeviceIdentities: await deleteDeviceIdentities(tx, row, subject, identities) }
}

async function endOwnSessions(
  ctx: AppContext,
  tx: Tx,
  { sessions: which, reason }: Ended,
  { userId, deviceKey }: Subject,
): Promise<boolean> {
  if (which === 'none') return false
  if (which === 'linked') return revokeLinkedSessions(ctx, tx, userId)
  if (which === 'all') return (await revokeAllSessions(ctx, tx, userId, reason)).length > 0
  const ids =
    which === 'others'
      ? (await activeOf(tx, userId, ctx.clock.now())).filter((s) => s.deviceKey !== deviceKey).map((s) => s.id)
      : (await sessionsOfDevice(tx, userId, [deviceKey])).map((s) => s.id)
  return (await revokeSessions(ctx, tx, userId, ids, reason)).length > 0
}

async function endOpenedSessions(
  ctx: AppContext,
  tx: Tx,
  which: Ended['opened'],
  { userId, deviceKey, linkedUserId }: Subject,
): Promise<void> {
  if (which === 'none') return
  if (which === 'all') return revokeOpenedSessions(ctx, tx, userId, {})
  if (which === 'others') return revokeOpenedSessions(ctx, tx, userId, { exceptDevice: deviceKey })
  if (which === 'device') return revokeOpenedSessions(ctx, tx, userId, { device: deviceKey })
  if (linkedUserId === undefined) throw new Error('the linked account of a removed link is missing')
  return revokeOpenedSessions(ctx, tx, userId, { linkedUserId })
}

/** Returns whether identities stayed that should have been deleted. */
async function deleteDeviceIdentities(
  tx: Tx,
  { deviceIdentities: which }: Ended,
  { userId, deviceKey }: Subject,
  identities: readonly IdentityRow[],
): Promise<boolean> {
  if (which === 'none') return false
  const ending = identities.filter(
    ({ provider, credential }) =>
      provider === 'DEVICE' && (which === 'all' || (credential === deviceKey) === (which === 'device')),
  )
  if (ending.length === 0) return false
  if (which !== 'all') {
    const user = await userById(tx, userId)
    const rest = identities.filter((identity) => !ending.includes(identity))
    if (user === undefined || !canStillSignIn(user, rest)) return true
  }
  for (const { id } of ending) await deleteIdentity(tx, userId, id)
  return false
}

/** The one-time link that makes the first administrator. */

import type { AppContext } from '#context'
import { secret, sha256 } from '#platform/ids.ts'

import { setupLinkInvalid } from '../errors.ts'
import { SETUP_LINK_MS } from '../limits.ts'
import { checkCredentials, type Credentials, hasAdministrator, insertAdministrator } from './administrators.ts'
import { deleteSetupLink, findSetupLink, saveSetupLink, type SetupLink, takeSetupLink } from './store.ts'

/**
 * Path of a new link, good once and for 24 hours, in place of any before; null when there is an administrator. The token stands in
 * the query, which is never logged.
 */
export async function createSetupLink(ctx: AppContext): Promise<string | null> {
  const token = secret()
  const made = await ctx.db.write('accounts.createSetupLink', async (tx) => {
    if (await hasAdministrator(tx)) {
      await deleteSetupLink(tx)
      return false
    }
    await saveSetupLink(tx, { hash: sha256(token), expiresAt: ctx.clock.now() + SETUP_LINK_MS })
    return true
  })
  return made ? `/setup?token=${token}` : null
}

/** The link that this token opens; throws when it is used, expired, or not ours. */
export async function checkSetupLink(ctx: AppContext, token: string): Promise<SetupLink> {
  const link = await findSetupLink(ctx.db.read)
  if (link === undefined || link.expiresAt <= ctx.clock.now() || link.hash !== sha256(token)) throw setupLinkInvalid()
  return link
}

/** Makes the first administrator. Of any number of callers with one link, one succeeds. */
export async function completeSetup(ctx: AppContext, token: string, credentials: Credentials): Promise<void> {
  const link = await checkSetupLink(ctx, token)
  checkCredentials(credentials)
  const passwordHash = await ctx.passwords.hash(credentials.password)
  await ctx.db.write('accounts.completeSetup', async (tx) => {
    if (!(await takeSetupLink(tx, link))) throw setupLinkInvalid()
    await insertAdministrator(ctx, tx, credentials.username, passwordHash)
  })
}

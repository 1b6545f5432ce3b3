/**
 * An e-mail given at registration is only a claim: anybody can type anybody's address. A code that goes there shows whose it is.
 */

import type { Provider } from '#db/schema/accounts.ts'
import type { Db, Tx } from '#db/store.ts'

import { isMereClaim } from '../users/rules.ts'
import { identitiesOf, type IdentityRow, userByIdentity, type UserRow } from '../users/store.ts'

/**
 * The account that a code to this credential opens. Nobody's when the credential was only claimed there while somebody proved another
 * to be theirs: the account is that person's.
 */
export async function openedByCode(
  db: Db | Tx,
  provider: Provider,
  credential: string,
): Promise<{ user: UserRow; identity: IdentityRow } | undefined> {
  const user = await userByIdentity(db, provider, credential)
  if (user === undefined) return undefined
  const all = await identitiesOf(db, user.id)
  const identity = all.find((i) => i.provider === provider && i.credential === credential)
  return identity === undefined || isMereClaim(identity, all) ? undefined : { user, identity }
}

import type { AppContext } from '#context'
import type { Provider } from '#db/schema/accounts.ts'
import { avatarUrl } from '#domains/files/index.ts'

import type { UserView } from './users.model.ts'
import type { IdentityRow, UserRow } from './users.store.ts'

/** Characters of a device's key that are shown: enough to tell devices apart, too few to be taken for the key. */
const DEVICE_KEY_SHOWN = 8

const shownCredential = (identity: IdentityRow): string =>
  identity.provider === 'DEVICE' ? `${identity.credential.slice(0, DEVICE_KEY_SHOWN)}…` : identity.credential

export function toUserView(ctx: AppContext, user: UserRow, identities: readonly IdentityRow[]): UserView {
  const bound = (provider: Provider) => identities.find((i) => i.provider === provider)?.credential ?? null
  const email = bound('EMAIL')
  const phone = bound('PHONE')
  const hasPassword = user.passwordHash !== null
  return {
    id: user.id,
    username: user.username,
    nickname: user.nickname,
    signature: user.signature,
    avatarUrl: avatarUrl(ctx, user.avatar),
    email,
    phone,
    identities: identities.map((i) => ({
      provider: i.provider,
      credential: shownCredential(i),
      verified: i.verified,
      createdAt: i.createdAt,
    })),
    hasPassword,
    hasRecoverableCredential: hasPassword || email !== null || phone !== null,
    currentOrgId: user.currentOrgId,
    createdAt: user.createdAt,
  }
}

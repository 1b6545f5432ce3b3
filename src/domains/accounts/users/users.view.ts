import type { AppContext } from '#context'
import type { Provider } from '#db/schema/accounts.ts'
import { avatarUrl } from '#domains/files/index.ts'

import type { UserView } from './users.model.ts'
import { isUsable } from './users.rules.ts'
import type { OwnIdentity, UserRow } from './users.store.ts'

/** Characters of a device's key that are shown: enough to tell devices apart, too few to be taken for the key. */
const DEVICE_KEY_SHOWN = 8

const shownCredential = ({ provider, credential, providerName }: OwnIdentity): string =>
  provider === 'DEVICE' ? `${credential.slice(0, DEVICE_KEY_SHOWN)}…` : (providerName ?? credential)

export function toUserView(ctx: AppContext, user: UserRow, identities: readonly OwnIdentity[]): UserView {
  const usable = identities.filter(isUsable)
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
    identities: usable.map((i) => ({
      provider: i.provider,
      credential: shownCredential(i),
      verified: i.verified,
      createdAt: i.createdAt,
    })),
    hasPassword,
    hasRecoverableCredential:
      hasPassword || email !== null || phone !== null || usable.some((i) => i.provider === 'OIDC'),
    currentOrgId: user.currentOrgId,
    createdAt: user.createdAt,
  }
}

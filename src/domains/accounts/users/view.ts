import type { UserView } from './model.ts'
import type { IdentityRow, UserRow } from './store.ts'

/** Enough to tell devices apart, too little to look like the secret. */
const SHOWN_OF_DEVICE = 8

const credentialOf = (identity: IdentityRow): string =>
  identity.provider === 'DEVICE' ? `${identity.credential.slice(0, SHOWN_OF_DEVICE)}…` : identity.credential

export function toUserView(user: UserRow, identities: readonly IdentityRow[]): UserView {
  const of = (provider: IdentityRow['provider']) => identities.find((i) => i.provider === provider)?.credential ?? null
  const email = of('EMAIL')
  const phone = of('PHONE')
  const hasPassword = user.passwordHash !== null
  return {
    id: user.id,
    username: user.username,
    nickname: user.nickname,
    signature: user.signature,
    avatarUrl: user.avatarUrl,
    email,
    phone,
    identities: identities.map((i) => ({
      provider: i.provider,
      credential: credentialOf(i),
      verified: i.verified,
      createdAt: i.createdAt,
    })),
    hasPassword,
    hasRecoverableCredential: hasPassword || email !== null || phone !== null,
    currentOrgId: user.currentOrgId,
    createdAt: user.createdAt,
  }
}

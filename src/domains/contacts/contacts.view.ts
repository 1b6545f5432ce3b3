import type { AppContext } from '#context'
import { avatarUrl } from '#domains/files/index.ts'

/** Another person, as everybody sees them: never a username, e-mail address or phone number. */
export interface Person {
  readonly userId: number
  readonly nickname: string
  readonly avatarUrl: string | null
}

export const toPerson = (
  ctx: AppContext,
  user: { readonly userId: number; readonly nickname: string; readonly avatar: string | null },
): Person => ({ userId: user.userId, nickname: user.nickname, avatarUrl: avatarUrl(ctx, user.avatar) })

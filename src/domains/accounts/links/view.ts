import type { LinkView } from './model.ts'
import type { LinkWithOther } from './store.ts'

export const toLinkView = (link: LinkWithOther): LinkView => ({
  id: link.id,
  ownerUserId: link.ownerUserId,
  linkedUserId: link.linkedUserId,
  nickname: link.nickname,
  avatarUrl: link.avatarUrl,
  createdAt: link.createdAt,
})

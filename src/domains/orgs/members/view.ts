import type { OrgRole } from '#domains/access/index.ts'

import type { MemberView } from './model.ts'
import type { MemberRow } from './store.ts'

export const toMemberView = (member: MemberRow, role: OrgRole | undefined, ownerId: number): MemberView => ({
  userId: member.userId,
  nickname: member.nickname,
  avatarUrl: member.avatarUrl,
  roleId: role?.id ?? null,
  roleCode: role?.code ?? null,
  roleName: role?.name ?? '',
  isOwner: member.userId === ownerId,
  joinedAt: member.joinedAt,
})

/** The members of a group, all pages of them: a group has at most 500. */

import { useQuery } from '@tanstack/react-query'

import { call } from '../../api/client.ts'
import type { GroupMember } from '../../api/types.ts'

const SIZE = 100

export function useMembers(groupId: number, isGroup: boolean): readonly GroupMember[] {
  const { data } = useQuery({
    queryKey: ['groups', 'members', groupId],
    queryFn: async () => {
      const members: GroupMember[] = []
      for (let page = 1; ; page++) {
        const { items, total } = await call('groups.members', { params: { id: groupId }, query: { page, size: SIZE } })
        members.push(...items)
        if (items.length === 0 || members.length >= total) return members
      }
    },
    enabled: isGroup,
  })
  return data ?? NOBODY
}

const NOBODY: readonly GroupMember[] = []

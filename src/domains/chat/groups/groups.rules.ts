/** Pure decisions about groups, and the texts of their messages. */

import type { GroupRole } from '#db/schema/chat.ts'

/** A message to all members changes a row of each. */
export const MAX_MEMBERS = 500
/** Groups that a user can be in. Those that follow an organization are joined without looking at it. */
export const MAX_GROUPS = 200
export const MAX_OWNED = 50
/** Of one organization. Each of them changes when a member leaves the organization. */
export const MAX_GROUPS_OF_ORG = 50
/** Of one organization. Each of them changes when a user joins the organization. */
export const MAX_FOLLOWING = 5

export const mayManage = (role: GroupRole | null): boolean => role === 'OWNER' || role === 'ADMIN'

/** Owners remove everybody else, administrators remove ordinary members. */
export const mayRemove = (role: GroupRole | null, target: GroupRole | null): boolean =>
  role === 'OWNER' ? target !== 'OWNER' : role === 'ADMIN' && target === 'MEMBER'

export type GroupEvent =
  | 'GROUP_CREATED'
  | 'GROUP_RENAMED'
  | 'GROUP_ENDED'
  | 'MEMBER_JOINED'
  | 'MEMBER_LEFT'
  | 'MEMBER_REMOVED'
  | 'OWNER_CHANGED'

/**
 * The text of a SYSTEM message for clients that do not know the event. Without names: they belong to the users, may change, and must
 * not outlive an account.
 */
export function textOf(event: GroupEvent, { count = 1, name = '' }: { count?: number; name?: string } = {}): string {
  switch (event) {
    case 'GROUP_CREATED':
      return `The group “${name}” was created`
    case 'GROUP_RENAMED':
      return `The group is now called “${name}”`
    case 'GROUP_ENDED':
      return 'The group was closed with its organization'
    case 'MEMBER_JOINED':
      return count === 1 ? 'A member joined the group' : `${count} members joined the group`
    case 'MEMBER_LEFT':
      return 'A member left the group'
    case 'MEMBER_REMOVED':
      return 'A member was removed from the group'
    case 'OWNER_CHANGED':
      return 'The group has a new owner'
  }
}

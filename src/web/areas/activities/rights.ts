/** Whether the user may do something with an activity, which may be of any owner and not only of the workspace. */

import type { ActivityItem, OperationId } from '../../api/types.ts'
import { may, type Session, useSession } from '../../session/session.ts'

type Owned = Pick<ActivityItem, 'ownerType' | 'ownerId' | 'createdBy'>

/** Whose the activity is, for `<Owned>`: undefined if it belongs to another user or an organization of others. */
export function useOwnerOf({ ownerType, ownerId }: Owned): number | null | undefined {
  const { user, orgs } = useSession()
  if (ownerType === 'PERSONAL') return ownerId === user.id ? null : undefined
  return orgs.some(({ id }) => id === ownerId) ? ownerId : undefined
}

/** `const can = useRights(activity); can('passes.issue')`. The creator manages an activity as long as they are a member. */
export const useRights = (activity: Owned): ((id: OperationId) => boolean) => rightsOf(useSession(), activity)

export function rightsOf(
  { user, orgs }: Session,
  { ownerType, ownerId, createdBy }: Owned,
): (id: OperationId) => boolean {
  if (ownerType === 'PERSONAL') return (id) => createdBy === user.id && may(id, null)
  const org = orgs.find((one) => one.id === ownerId)
  return (id) => org !== undefined && may(id, null) && (createdBy === user.id || may(id, org))
}

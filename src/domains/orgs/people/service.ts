import type { AppContext } from '#context'
import type { Actor } from '#http/endpoint.ts'

import type { FoundUsers } from '../invitations/model.ts'
import { searchUsers } from './store.ts'

const MAX_FOUND = 20

/** Others, never the caller; nothing of them but what everybody sees. */
export const findPeople = async (ctx: AppContext, actor: Actor, q: string): Promise<FoundUsers> => ({
  items: await searchUsers(ctx.db.read, actor.userId, q, MAX_FOUND),
})

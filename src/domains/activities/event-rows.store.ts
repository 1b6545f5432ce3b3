import { eq, inArray } from 'drizzle-orm'

import { users } from '#db/schema/accounts.ts'
import { registrations } from '#db/schema/activities.ts'
import { passes } from '#db/schema/passes.ts'
import type { Tx } from '#db/store.ts'

import { participantName } from './activities.store.ts'
import { passColumns, type PassRow } from './passes/passes.store.ts'

export const registrationsByIds = (tx: Tx, ids: readonly number[]) =>
  tx
    .select({
      id: registrations.id,
      activityId: registrations.activityId,
      userId: registrations.userId,
      name: participantName.as('name'),
      status: registrations.status,
      createdAt: registrations.createdAt,
      updatedAt: registrations.updatedAt,
    })
    .from(registrations)
    .leftJoin(users, eq(users.id, registrations.userId))
    .where(inArray(registrations.id, [...ids]))

export const passesByIds = (tx: Tx, ids: readonly number[]): Promise<PassRow[]> =>
  tx
    .select(passColumns)
    .from(passes)
    .where(inArray(passes.id, [...ids]))

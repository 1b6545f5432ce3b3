import type { Budget } from '#http/budget.ts'
import { Enum, Id, Model, Nullable, PageOf, PageQuery, type Static, Text, Time, Type } from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

import { Entity, Version } from '../sync.model.ts'

/** Open conflicts of a user. Records that would make more are rejected. */
export const MAX_OPEN = 10_000
/** Resolved conflicts of a user. Older ones are deleted. */
export const MAX_RESOLVED = 10_000

/** As long as tombstones. A client that has not pulled for longer pulls everything again. */
export const KEPT_FOR = 90 * DAY

/** A record can have 256 KB of data, so that the number of conflicts alone would allow 5 GB for each user. Most conflicts take 1 to 3 KB. */
export const CONFLICT_SPACE: Budget = {
  name: 'sync.conflicts',
  counts: { en: 'kilobytes of conflicts', zh: '冲突数据（KB）' },
  per: 'user',
  limit: 65_536,
  windowMs: KEPT_FOR,
  durable: true,
  countedByRun: true,
}

const STATUSES = ['OPEN', 'RESOLVED'] as const

export const ConflictsQuery = PageQuery({
  status: Enum([...STATUSES, 'ALL'], { default: 'OPEN' }),
  entity: Type.Optional(Entity),
})
export type ConflictsQuery = Static<typeof ConflictsQuery>

const State = (description: string) => Nullable(Type.Record(Type.String(), Type.Unknown(), { description }))

export const ConflictView = Model('SyncConflict', {
  id: Id,
  entity: Entity,
  serverId: Id,
  localId: Text('c1f0-17'),
  deviceId: Text('sha256:6dd5…', { description: 'The key of the device that pushed, as in the list of sessions' }),
  winner: Enum(['SERVER', 'CLIENT'], { description: 'Whose state the row has got' }),
  clientData: State('`data` as it was pushed; null for a deletion'),
  serverData: State('The row as pulls show it, before the push; null if it was deleted'),
  baseVersion: Version,
  serverVersion: Version,
  clientUpdatedAt: Time,
  serverUpdatedAt: Time,
  status: Enum(STATUSES),
  acceptServer: Nullable(Type.Boolean()),
  createdAt: Time,
  resolvedAt: Nullable(Time),
})
export type ConflictView = Static<typeof ConflictView>
export const ConflictPage = PageOf(ConflictView)

export const ResolveConflict = Model('ResolveSyncConflict', {
  conflictId: Id,
  acceptServer: Type.Boolean({
    description:
      'True: the row gets the state of the server, and comes with the next pull of the device. False: the next push of the record with ' +
      '`baseVersion` 0 from the device overwrites the row',
  }),
})
export type ResolveConflict = Static<typeof ResolveConflict>

export const ResolvedConflict = Model('ResolvedSyncConflict', {
  conflictId: Id,
  entity: Entity,
  localId: Text('c1f0-17'),
  serverId: Id,
  version: { ...Version, description: 'That of the row, which the device now has; 0 if the device pushes again' },
  acceptServer: Type.Boolean(),
})
export type ResolvedConflict = Static<typeof ResolvedConflict>

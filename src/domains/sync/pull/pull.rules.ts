import type { OwnerKey } from '#db/owner-key.ts'
import type { SyncEntityName } from '#db/schema/sync.ts'

import { KEPT_MS } from '../sync.rules.ts'

export interface ClientState {
  readonly since: number
  /** The later of the clock and the settled stamp. */
  readonly now: number
  /** When the client last pulled each entity from 0. */
  readonly starts: ReadonlyMap<SyncEntityName, number>
  readonly asked: ReadonlySet<SyncEntityName>
  /** Stamps up to which tombstones of the owners were deleted early, and the time of the last restore from a backup. */
  readonly horizons: readonly number[]
}

/** Whether `mustStartAgain` depends on more than the time. */
export const isUpToDate = ({ since, now, horizons }: Omit<ClientState, 'starts' | 'asked'>): boolean =>
  since === 0 || (since <= now && since >= now - KEPT_MS && horizons.every((horizon) => horizon <= since))

/**
 * Whether the client may have missed deletions, or has a stamp of another server. A client that has started recently has missed none,
 * although it pages through old stamps.
 */
export function mustStartAgain(client: ClientState): boolean {
  if (isUpToDate(client)) return false
  if (client.since > client.now) return true
  const needed = Math.max(client.now - KEPT_MS, ...client.horizons)
  return [...client.asked].some((entity) => (client.starts.get(entity) ?? 0) <= needed)
}

/** Owners whose rows a pull is about. */
export const ownersOfPull = (userId: number, orgId: number | undefined, orgIds: Iterable<number>): Set<OwnerKey> =>
  new Set(orgId === undefined ? [-userId, ...orgIds] : orgIds)

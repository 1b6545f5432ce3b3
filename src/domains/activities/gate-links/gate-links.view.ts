import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'

import type { GateView } from './gate-links.model.ts'
import { endOf, expiryOf } from './gate-links.rules.ts'
import { admittedOf, type DeviceRow, devicesOf, type GateOfActivity, type GateRow } from './gate-links.store.ts'

/** `showsLink`: the viewer may change the activity. */
export async function toViews(
  ctx: AppContext,
  db: Db | Tx,
  rows: readonly GateRow[],
  activity: GateOfActivity['activity'],
  showsLink: boolean,
): Promise<GateView[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const devices = Map.groupBy(await devicesOf(db, ids), ({ gateId }) => gateId)
  const admitted = await admittedOf(db, ids)
  const now = ctx.clock.now()
  return rows.map((row) => {
    const url = showsLink ? urlOf(ctx, row) : null
    return {
      id: row.id,
      name: row.name,
      url,
      qrContent: url,
      listIds: row.listIds && [...row.listIds],
      showNames: row.showNames,
      canUndo: row.canUndo,
      canSearch: row.canSearch,
      direction: row.direction,
      maxDevices: row.maxDevices,
      devices: (devices.get(row.id) ?? []).map(deviceView),
      admitted: admitted.get(row.id) ?? 0,
      expiresAt: row.expiresAt,
      endsAt: endOf(row, activity, now)?.at ?? expiryOf(row, activity),
      revokedAt: row.revokedAt,
      createdBy: row.createdBy,
      createdAt: row.createdAt,
    }
  })
}

/** The secret is in the fragment, which browsers do not send. Null if the key of the server was replaced. */
function urlOf(ctx: AppContext, { secret }: GateRow): string | null {
  const given = ctx.seal.open(secret)
  return given === undefined ? null : `${ctx.config.publicUrl}/console/gate#${given}`
}

const deviceView = (row: DeviceRow): GateView['devices'][number] => ({
  id: row.id,
  name: row.name || null,
  lastSeenAt: row.lastSeenAt,
  admitted: row.admitted,
  refused: row.refused,
  searches: row.searches,
  waiting: row.waiting,
})

import { eq, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { activityKiosks } from '#db/schema/activities.ts'
import type { Db, Tx } from '#db/store.ts'

const p = sql.placeholder

const byHash = prepared((db) =>
  db
    .select({ activityId: activityKiosks.activityId })
    .from(activityKiosks)
    .where(eq(activityKiosks.secretHash, p('secretHash'))),
)

/** The activity with this link, which may have been deleted. */
export const findByHash = async (db: Db, secretHash: string): Promise<number | undefined> =>
  (await byHash(db, { secretHash }))[0]?.activityId

/** The encrypted secret of the link that the activity has. */
export async function findSecret(tx: Tx, activityId: number): Promise<string | undefined> {
  const [row] = await tx
    .select({ secret: activityKiosks.secret })
    .from(activityKiosks)
    .where(eq(activityKiosks.activityId, activityId))
  return row?.secret
}

/** Replaces a link that the activity has. */
export async function saveKiosk(
  tx: Tx,
  activityId: number,
  link: { readonly secretHash: string; readonly secret: string },
): Promise<void> {
  const set = { ...link, createdAt: tx.stamp }
  await tx
    .insert(activityKiosks)
    .values({ activityId, ...set })
    .onConflictDoUpdate({ target: activityKiosks.activityId, set })
}

export const deleteKiosk = async (tx: Tx, activityId: number): Promise<void> =>
  void (await tx.delete(activityKiosks).where(eq(activityKiosks.activityId, activityId)))

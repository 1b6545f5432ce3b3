/**
 * Changes of fields that show in the things with a value in them: a deleted field, another type, another order of options. Clients that
 * synchronize get these things again, so their versions rise. A field can have a million values: the write that changes it raises the
 * first versions, and a job the others.
 */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { MINUTE } from '#platform/clock.ts'

import { metaObject } from '../objects/objects.service.ts'
import { type TypedField, valueOf } from '../types/types.rules.ts'
import * as store from './changes.store.ts'
import type { FieldRow } from './fields.store.ts'
import { nextFirstParts } from './retyping.store.ts'

/** About 20 ms on SQLite. */
const VALUES_PER_WRITE = 200

/** Call it after the field and its values have changed. Values of fixed columns are those of the thing itself. */
export async function raiseVersions(
  ctx: AppContext,
  tx: Tx,
  { id, objectName, entityColumn }: FieldRow,
): Promise<void> {
  if (entityColumn !== null || metaObject(ctx, objectName)?.touch === undefined) return
  await raiseSome(ctx, tx, await store.insertChange(tx, id, objectName))
}

async function raiseSome(ctx: AppContext, tx: Tx, change: store.FieldChange): Promise<void> {
  const { fieldId, objectName, afterOwner, afterNumber, afterEntityId } = change
  const after =
    afterOwner === null
      ? undefined
      : { owner: afterOwner, number: afterNumber, entityId: afterEntityId!, text: null, key: null }
  const rows = await nextFirstParts(tx, fieldId, after, VALUES_PER_WRITE)
  const ids = rows.map(({ entityId }) => entityId)
  if (ids.length > 0) await metaObject(ctx, objectName)?.touch?.(tx, ids)
  const last = rows.at(-1)
  if (last === undefined || rows.length < VALUES_PER_WRITE) return store.deleteChange(tx, fieldId)
  const { owner, number, entityId } = last
  return store.advanceChange(tx, fieldId, { afterOwner: owner, afterNumber: number, afterEntityId: entityId })
}

export async function raiseRemainingVersions(ctx: AppContext): Promise<void> {
  while ((await store.firstChange(ctx.db.read)) !== undefined) {
    await ctx.db.write('metadata.raiseVersions', async (tx) => {
      const change = await store.firstChange(tx)
      if (change !== undefined) await raiseSome(ctx, tx, change)
    })
    await Bun.sleep(0)
  }
}

export const raiseVersionsJob: Job = { name: 'metadata.raiseVersions', every: MINUTE, run: raiseRemainingVersions }

/** Values of several options are shown in the order of the options. Whether it differs for a value that had all of them. */
export function ordersOptionsAnew(before: TypedField, after: TypedField): boolean {
  if (before.type !== 'MULTI_SELECT' && before.type !== 'CHECKBOX') return false
  const options = before.config['options'] as readonly { readonly value: string }[]
  const parts = options.map(({ value }) => ({ text: null, key: value, number: null }))
  return !Bun.deepEquals(valueOf(before, parts), valueOf({ ...after, type: before.type }, parts))
}

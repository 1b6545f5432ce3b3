/**
 * Notifies users whose formulas name a GLOBAL field that was deleted. There can be a million of them: the write that deletes the field
 * notifies the first owners, and a job the others.
 */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { notify } from '#domains/notifications/index.ts'
import { MINUTE } from '#platform/clock.ts'

import { nextNamedField, takeFormulas } from './broken.store.ts'
import type { FieldRow } from './fields.store.ts'

/** Some milliseconds on SQLite. */
const FORMULAS_PER_WRITE = 100

/** Notifies the owners of some formulas. Each gets one notification, however many formulas they have. Whether there may be more. */
export async function reportSome(ctx: AppContext, tx: Tx, { id, name, objectName }: FieldRow): Promise<boolean> {
  const { taken, userIds } = await takeFormulas(tx, id, FORMULAS_PER_WRITE)
  await notify(ctx, tx, {
    userIds,
    type: 'SYSTEM',
    title: { en: `The field “${name}” was deleted`, zh: `字段“${name}”已删除` },
    body: {
      en: `Formulas of yours, or of an organization that you own, use the field “${name}”, which an administrator deleted. They no longer have a result: change them or delete their fields.`,
      zh: `你或你所拥有组织的公式使用了字段“${name}”，该字段已被管理员删除。这些公式不再有结果，请修改公式或删除相应字段。`,
    },
    data: { event: 'META_FIELD_DELETED', fieldId: id, objectName },
    subject: `META_FIELD_DELETED ${id}`,
  })
  return taken === FORMULAS_PER_WRITE
}

export async function reportRemaining(ctx: AppContext): Promise<void> {
  let field: FieldRow | undefined
  while ((field = await nextNamedField(ctx.db.readInWorker, field?.id ?? 0)) !== undefined) {
    const next = field
    while (await ctx.db.write('metadata.reportFormulas', (tx) => reportSome(ctx, tx, next))) await Bun.sleep(0)
  }
}

export const reportFormulasJob: Job = { name: 'metadata.reportFormulas', every: MINUTE, run: reportRemaining }

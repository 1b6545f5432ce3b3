import { and, eq, type SQL, sql } from 'drizzle-orm'

import { metaBindings } from '#db/schema/meta.ts'
import type { Db, Tx } from '#db/store.ts'
import type { MetaEntity } from '#domains/contributions.ts'
import type { Owner } from '#http/endpoint.ts'

import { fieldOwners, GLOBAL } from '../metadata.rules.ts'
import { type FieldInForce, inOrder, mergeFields, type Source } from '../templates/templates.rules.ts'
import {
  boundTemplateIds,
  defaultTemplate,
  fieldsOfTemplates,
  type TemplateField,
  type TemplateRow,
  templatesWithIds,
} from '../templates/templates.store.ts'

export interface TemplateInForce {
  readonly template: TemplateRow
  readonly source: Source
  readonly fields: readonly TemplateField[]
}

export interface InForce {
  /** The default ones first, then as they were bound. */
  readonly templates: readonly TemplateInForce[]
  /** The fields of all of them in their order, each once. */
  readonly fields: readonly FieldInForce[]
}

/**
 * The templates in force for an entity: those bound to it and those of its category, or else the default template. A template that is
 * not visible in the scope of the entity's owner (it belonged to the owner before) or to the viewer does not count.
 */
export async function templatesInForce(
  db: Db | Tx,
  objectName: string,
  entity: MetaEntity,
  viewer: Owner,
): Promise<InForce> {
  const seen = new Set(fieldOwners(viewer))
  const owners = [GLOBAL, entity.owner].filter((owner) => seen.has(owner))
  const boundIds = await boundTemplateIds(db, objectName, entity.id)
  const found = await templatesWithIds(db, objectName, owners, [...boundIds, ...entity.templateIds])
  const withIds = (ids: readonly number[]) => ids.flatMap((id) => found.find((row) => row.id === id) ?? [])
  const fallback = found.length > 0 ? undefined : await defaultTemplate(db, objectName, entity.owner)
  const ordered = inOrder(withIds(boundIds), withIds(entity.templateIds), fallback)
  const fields = await fieldsOfTemplates(
    db,
    ordered.map(({ template }) => template.id),
  )
  const templates = ordered.map(({ template, source }) => ({ template, source, fields: fields.get(template.id)! }))
  return {
    templates,
    fields: mergeFields(templates.map(({ template, fields: own }) => ({ templateId: template.id, fields: own }))),
  }
}

/** After the templates that are bound already. */
export async function bindTemplate(tx: Tx, objectName: string, entityId: number, templateId: number): Promise<void> {
  const [last] = await tx
    .select({ position: sql`coalesce(max(${metaBindings.position}), -1)`.mapWith(Number) })
    .from(metaBindings)
    .where(ofEntity(objectName, entityId))
  await tx.insert(metaBindings).values({ objectName, entityId, templateId, position: last!.position + 1 })
}

const ofEntity = (objectName: string, entityId: number): SQL | undefined =>
  and(eq(metaBindings.objectName, objectName), eq(metaBindings.entityId, entityId))

/** False if the template is not bound to the entity. */
export async function unbindTemplate(
  tx: Tx,
  objectName: string,
  entityId: number,
  templateId: number,
): Promise<boolean> {
  const rows = await tx
    .delete(metaBindings)
    .where(and(ofEntity(objectName, entityId), eq(metaBindings.templateId, templateId)))
    .returning({ templateId: metaBindings.templateId })
  return rows.length > 0
}

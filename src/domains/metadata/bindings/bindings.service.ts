/** The templates of single entities. */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import type { Page } from '#db/paging.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { MetaEntity, MetaObject } from '#domains/contributions.ts'
import type { Owner } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'

import type { FieldsQuery, FieldView } from '../fields/fields.model.ts'
import { pageOfFields } from '../fields/fields.service.ts'
import { tooManyOf } from '../metadata.errors.ts'
import { fieldOwners, GLOBAL, scopeOf, shownTemplateName } from '../metadata.rules.ts'
import { metaObject, requireObject } from '../objects/objects.service.ts'
import { boundTemplateIds, defaultTemplate, templatesWithIds, unknownTemplates } from '../templates/templates.store.ts'
import { type BindTemplates, MAX_BINDINGS, type TemplatesInForce } from './bindings.model.ts'
import { bindTemplate, templatesInForce, unbindTemplate } from './bindings.store.ts'

async function findEntity(db: Db | Tx, object: MetaObject, owner: Owner, entityId: number): Promise<MetaEntity> {
  const [entity] = await object.findEntities(db, [entityId])
  if (entity === undefined || entity.owner !== ownerKey(owner)) throw notFound()
  return entity
}

/** The object of an entity that the owner may see. @throws AppError 404 */
async function objectFor(ctx: AppContext, owner: Owner, objectName: string): Promise<MetaObject> {
  const { userId, orgId } = owner
  await requireObject(ctx.db.read, objectName)
  const object = metaObject(ctx, objectName)
  if (object === undefined) throw notFound()
  if (orgId !== 0 && !(await access.can(ctx, userId, 'ORG', orgId, object.readPoint))) throw notFound()
  return object
}

/**
 * The fields of the templates in force for an entity. With `orgId` 0 in `viewer` the entity decides: it can belong to an organization
 * in which the viewer may see fields.
 *
 * @throws AppError 404 if the viewer may not see the entity
 */
async function fieldIdsInForce(
  ctx: AppContext,
  viewer: Owner,
  objectName: string,
  entityId: number,
): Promise<{ readonly viewer: Owner; readonly fieldIds: readonly number[] }> {
  const [found] = (await metaObject(ctx, objectName)?.findEntities(ctx.db.read, [entityId])) ?? []
  if (found === undefined) throw notFound()
  const owner = viewer.orgId === 0 && found.owner > 0 ? { ...viewer, orgId: found.owner } : viewer
  if (owner !== viewer && !(await access.can(ctx, viewer.userId, 'ORG', owner.orgId, 'meta_field:read')))
    throw notFound()
  const object = await objectFor(ctx, owner, objectName)
  const entity = await findEntity(ctx.db.read, object, owner, entityId)
  const { fields } = await templatesInForce(ctx.db.read, objectName, entity, owner)
  return { viewer: owner, fieldIds: fields.map(({ fieldId }) => fieldId) }
}

/** Fields that the caller sees, or with `entityId` those of the templates in force there. */
export async function listFields(
  ctx: AppContext,
  owner: Owner,
  objectName: string,
  { scope, entityId, ...query }: FieldsQuery,
  locale: Locale,
): Promise<Page<FieldView>> {
  await requireObject(ctx.db.read, objectName)
  const { viewer, fieldIds } =
    entityId === undefined
      ? { viewer: owner, fieldIds: undefined }
      : await fieldIdsInForce(ctx, owner, objectName, entityId)
  const owners = fieldOwners(viewer).filter((one) => scope === undefined || scopeOf(one) === scope)
  return pageOfFields(ctx, owner.userId, objectName, owners, query, locale, fieldIds)
}

export async function listBindings(
  ctx: AppContext,
  owner: Owner,
  objectName: string,
  entityId: number,
  locale: Locale,
): Promise<TemplatesInForce> {
  const object = await objectFor(ctx, owner, objectName)
  return toView(ctx.db.read, objectName, await findEntity(ctx.db.read, object, owner, entityId), owner, locale)
}

/** Binds templates to an entity; those that are bound already stay. Without templates, the default one. */
export async function bindTemplates(
  ctx: AppContext,
  owner: Owner,
  objectName: string,
  entityId: number,
  { templateIds }: BindTemplates,
  locale: Locale,
): Promise<TemplatesInForce> {
  const object = await objectFor(ctx, owner, objectName)
  return ctx.db.write('metadata.bindTemplates', async (tx) => {
    const entity = await findEntity(tx, object, owner, entityId)
    const wanted = templateIds?.length ? templateIds : [await defaultTemplateId(tx, objectName, owner)]
    const unknown = new Set(await unknownTemplates(tx, objectName, entity.owner, wanted))
    if (unknown.size > 0) throw invalidAll(unknownIds(wanted, unknown))
    const bound = await boundTemplateIds(tx, objectName, entityId)
    const added = [...new Set(wanted)].filter((id) => !bound.includes(id))
    const live = new Set((await templatesWithIds(tx, objectName, [GLOBAL, entity.owner], bound)).map(({ id }) => id))
    if (live.size + added.length > MAX_BINDINGS)
      throw tooManyOf(MAX_BINDINGS, 'templates of one thing', '绑定到同一对象的模板')
    // Those that were deleted, or that belonged to the former owner of the entity.
    for (const id of bound) if (!live.has(id)) await unbindTemplate(tx, objectName, entityId, id)
    for (const id of added) await bindTemplate(tx, objectName, entityId, id)
    return toView(tx, objectName, entity, owner, locale)
  })
}

async function defaultTemplateId(tx: Tx, objectName: string, owner: Owner): Promise<number> {
  const template = await defaultTemplate(tx, objectName, ownerKey(owner))
  if (template === undefined)
    throw badRequest('There is no default template: give templateIds', '没有默认模板，请提供 templateIds')
  return template.id
}

const unknownIds = (wanted: readonly number[], unknown: ReadonlySet<number>) =>
  wanted.flatMap((id, i) =>
    unknown.has(id)
      ? [
          {
            path: `body.templateIds.${i}`,
            text: { en: 'is not the id of a template that can be used here', zh: '不是此处可用的模板' },
          },
        ]
      : [],
  )

/** Unbinds a template from an entity. Values stay. @throws AppError 404 if it is not bound to the entity itself */
export async function unbind(
  ctx: AppContext,
  owner: Owner,
  objectName: string,
  entityId: number,
  templateId: number,
): Promise<void> {
  const object = await objectFor(ctx, owner, objectName)
  await ctx.db.write('metadata.unbindTemplate', async (tx) => {
    const entity = await findEntity(tx, object, owner, entityId)
    const [template] = await templatesWithIds(tx, objectName, [GLOBAL, entity.owner], [templateId])
    if (template === undefined || !(await unbindTemplate(tx, objectName, entityId, templateId))) throw notFound()
  })
}

async function toView(
  db: Db | Tx,
  objectName: string,
  entity: MetaEntity,
  owner: Owner,
  locale: Locale,
): Promise<TemplatesInForce> {
  const { templates } = await templatesInForce(db, objectName, entity, owner)
  const items = templates.map(({ template, source }) => ({
    templateId: template.id,
    name: shownTemplateName(template, locale),
    scope: scopeOf(template.owner),
    isDefault: template.isDefault,
    source,
  }))
  return { items }
}

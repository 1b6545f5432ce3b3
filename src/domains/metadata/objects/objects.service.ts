/** Objects: the kinds of things that can have metadata. */

import type { AppContext } from '#context'
import type { Page } from '#db/paging.ts'
import type { Db, Tx } from '#db/store.ts'
import type { MetaObject } from '#domains/contributions.ts'
import { contributions } from '#domains/domain.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'

import { tooManyOf } from '../metadata.errors.ts'
import { columnsOf, GLOBAL, shownDescription, shownLabel } from '../metadata.rules.ts'
import { type CreateObject, MAX_OBJECTS, type ObjectsQuery, type ObjectView } from './objects.model.ts'
import * as store from './objects.store.ts'

/** Undefined if no domain has such entities. */
export const metaObject = (ctx: AppContext, objectName: string): MetaObject | undefined => {
  for (const objects of contributions(ctx, 'metaObjects')) {
    const object = Object.hasOwn(objects, objectName) ? objects[objectName as keyof typeof objects] : undefined
    if (object !== undefined) return object
  }
  return undefined
}

/** @throws AppError 404 for objects that are unknown or disabled */
export async function requireObject(db: Db | Tx, objectName: string): Promise<void> {
  if (!(await store.isEnabled(db, objectName))) throw notFound()
}

/** The enabled objects. */
export const listObjects = (
  ctx: AppContext,
  actor: Actor,
  query: ObjectsQuery,
  locale: Locale,
): Promise<Page<ObjectView>> => objectViews(ctx, query, locale, [GLOBAL, -actor.userId], true)

export const listAllObjects = (ctx: AppContext, query: ObjectsQuery, locale: Locale): Promise<Page<ObjectView>> =>
  objectViews(ctx, query, locale, [GLOBAL], false)

async function objectViews(
  ctx: AppContext,
  query: ObjectsQuery,
  locale: Locale,
  owners: readonly number[],
  enabledOnly: boolean,
): Promise<Page<ObjectView>> {
  const page = await store.objectsPage(ctx.db.read, query, enabledOnly)
  const names = page.items.map(({ name }) => name)
  const counts = await store.fieldCounts(ctx.db.read, names, owners)
  return { ...page, items: page.items.map((row) => toView(row, counts.get(row.name) ?? 0, locale)) }
}

/** Registers an object. It can carry fields and templates; its entities exist once a domain serves them. */
export function createObject(
  actor: LoggedActor,
  { name, label, description }: CreateObject,
  locale: Locale,
): Promise<ObjectView> {
  return actor.write('metadata.createObject', async (tx) => {
    if ((await store.objectNames(tx)).length >= MAX_OBJECTS) throw tooManyOf(MAX_OBJECTS, 'objects', '对象')
    const [row] = await store.insertObjects(tx, [{ name, label, description: description ?? '', builtIn: false }])
    if (row === undefined) throw invalid('body.name', 'is the name of another object', '已被其他对象使用')
    const after = { name, label, description: row.description, enabled: true }
    return { result: toView(row, 0, locale), logged: { targetName: name, after } }
  })
}

/** Nothing of a disabled object is deleted; to users it does not exist. */
export function setObjectStatus(
  actor: LoggedActor,
  name: string,
  enabled: boolean,
  locale: Locale,
): Promise<ObjectView> {
  return actor.write('metadata.setObjectStatus', async (tx) => {
    const row = await store.findObject(tx, name)
    if (row === undefined) throw notFound()
    if (row.enabled !== enabled) await store.setEnabled(tx, name, enabled)
    const count = (await store.fieldCounts(tx, [name], [GLOBAL])).get(name) ?? 0
    return {
      result: toView({ ...row, enabled }, count, locale),
      logged: { targetName: name, before: { enabled: row.enabled }, after: { enabled } },
    }
  })
}

const toView = (row: store.ObjectRow, fieldCount: number, locale: Locale): ObjectView => ({
  name: row.name,
  label: shownLabel(row.name, row.label, locale),
  description: shownDescription(row.name, row.description, locale),
  enabled: row.enabled,
  builtIn: row.builtIn,
  entityColumns: columnsOf(row.name),
  fieldCount,
})

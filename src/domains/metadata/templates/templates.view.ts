import { mapPage, type Page } from '#db/paging.ts'
import type { LoggedFields } from '#db/schema/operation-log.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Locale } from '#lib/localized.ts'

import { fieldsWithIds } from '../fields/fields.store.ts'
import { toFieldView } from '../fields/fields.view.ts'
import { GLOBAL, scopeView, shownTemplateName } from '../metadata.rules.ts'
import type { TemplateFields, TemplateView } from './templates.model.ts'
import { fieldsOfTemplates, templateFieldCounts, type TemplateRow } from './templates.store.ts'

const toView = (row: TemplateRow, fieldCount: number, locale: Locale): TemplateView => ({
  id: row.id,
  objectName: row.objectName,
  name: shownTemplateName(row, locale),
  description: row.description,
  ...scopeView(row.owner),
  isDefault: row.isDefault,
  sourceId: row.sourceId,
  fieldCount,
  version: row.version,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

export async function toTemplateView(db: Db | Tx, row: TemplateRow, locale: Locale): Promise<TemplateView> {
  return toView(row, (await templateFieldCounts(db, [row.id])).get(row.id) ?? 0, locale)
}

export async function toTemplatePage(db: Db, page: Page<TemplateRow>, locale: Locale): Promise<Page<TemplateView>> {
  const counts = await templateFieldCounts(
    db,
    page.items.map((row) => row.id),
  )
  return mapPage(page, (row) => toView(row, counts.get(row.id) ?? 0, locale))
}

/** The fields of a template, whole. */
export async function toTemplateFields(db: Db | Tx, row: TemplateRow, locale: Locale): Promise<TemplateFields> {
  const listed = (await fieldsOfTemplates(db, [row.id])).get(row.id)!
  const ids = listed.map(({ fieldId }) => fieldId)
  const fields = await fieldsWithIds(db, row.objectName, [GLOBAL, row.owner], ids)
  const byId = new Map(fields.map((field) => [field.id, field]))
  const items = listed.flatMap(({ fieldId, group, required }) => {
    const field = byId.get(fieldId)
    return field === undefined ? [] : [{ fieldId, group, required, field: toFieldView(field, locale) }]
  })
  return { items: items.map((item, order) => ({ ...item, order })) }
}

/** As the operation log shows it. */
export const loggedTemplate = (row: TemplateRow): LoggedFields => ({
  objectName: row.objectName,
  name: row.name,
  description: row.description,
  ...scopeView(row.owner),
  isDefault: row.isDefault,
})

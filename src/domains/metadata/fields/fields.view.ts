import type { LoggedFields } from '#db/schema/operation-log.ts'
import type { Locale } from '#lib/localized.ts'

import { scopeView, shownFieldName } from '../metadata.rules.ts'
import type { FieldView } from './fields.model.ts'
import type { FieldRow } from './fields.store.ts'

export const toFieldView = (row: FieldRow, locale: Locale): FieldView => ({
  id: row.id,
  objectName: row.objectName,
  key: row.key,
  name: shownFieldName(row, locale),
  type: row.type,
  ...scopeView(row.owner),
  entityColumn: row.entityColumn,
  config: row.config,
  description: row.description,
  sortOrder: row.sortOrder,
  version: row.version,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

/** As the operation log shows it. */
export const loggedField = (row: FieldRow): LoggedFields => ({
  objectName: row.objectName,
  key: row.key,
  name: row.name,
  type: row.type,
  ...scopeView(row.owner),
  entityColumn: row.entityColumn,
  config: row.config,
  description: row.description,
  sortOrder: row.sortOrder,
})

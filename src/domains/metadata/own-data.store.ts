import { and, eq, isNull } from 'drizzle-orm'

import { type DataArea, tableArea } from '#db/data-areas.ts'
import { metaFields, metaTemplates, metaValues } from '#db/schema/meta.ts'

export const metadataAreas: readonly DataArea[] = [
  tableArea({
    name: 'fields',
    title: { en: 'Fields', zh: '字段' },
    forAdministrators: 'NAMES',
    from: metaFields,
    columns: {
      id: metaFields.id,
      objectName: metaFields.objectName,
      key: metaFields.key,
      name: metaFields.name,
      type: metaFields.type,
      config: metaFields.config,
      description: metaFields.description,
      createdAt: metaFields.createdAt,
      updatedAt: metaFields.updatedAt,
    },
    where: (userId) => and(eq(metaFields.owner, -userId), isNull(metaFields.deletedAt)),
    key: [metaFields.id],
  }),
  tableArea({
    name: 'templates',
    title: { en: 'Templates of fields', zh: '字段模板' },
    forAdministrators: 'NAMES',
    from: metaTemplates,
    columns: {
      id: metaTemplates.id,
      objectName: metaTemplates.objectName,
      name: metaTemplates.name,
      description: metaTemplates.description,
      isDefault: metaTemplates.isDefault,
      createdAt: metaTemplates.createdAt,
      updatedAt: metaTemplates.updatedAt,
    },
    where: (userId) => and(eq(metaTemplates.owner, -userId), isNull(metaTemplates.deletedAt)),
    key: [metaTemplates.id],
  }),
  tableArea({
    name: 'values',
    title: { en: 'Values of fields', zh: '字段值' },
    from: metaValues,
    joins: [{ table: metaFields, on: eq(metaFields.id, metaValues.fieldId) }],
    columns: {
      objectName: metaValues.objectName,
      entityId: metaValues.entityId,
      fieldId: metaValues.fieldId,
      field: metaFields.name,
      type: metaFields.type,
      text: metaValues.text,
      key: metaValues.key,
      number: metaValues.number,
    },
    where: (userId) => eq(metaValues.owner, -userId),
    key: [metaValues.fieldId, metaValues.id],
  }),
]

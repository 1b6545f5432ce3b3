import { Enum, ExportZone, Id, type Static, Type } from '#http/schema.ts'

import { AssetSort, filters } from '../register/register.model.ts'

export const FORMATS = ['xlsx', 'csv'] as const
/** The media types of these formats. */
export const EXPORT_TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, text/csv'

export const ExportQuery = Type.Object({
  ...filters,
  orgId: Type.Optional(Id),
  sort: AssetSort,
  format: Type.Optional(Enum(FORMATS, { default: 'xlsx' })),
  tz: ExportZone,
  lang: Type.Optional(
    Enum(['en', 'zh'], { description: 'Of the headers and words; that of `Accept-Language` by default' }),
  ),
  template: Type.Optional(
    Type.Boolean({ default: false, description: 'A table to fill in: headers, an example and lists of choices' }),
  ),
})
export type ExportQuery = Static<typeof ExportQuery>

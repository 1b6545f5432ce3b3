import { Id, Model, Nullable, type Static, Text, Type } from '#http/schema.ts'

import { ContentTypeName } from '../codes/model.ts'
import { ByDay, DaysQuery } from './days.ts'

export const StatsQuery = DaysQuery({ orgId: Type.Optional(Id) })

const Count = Type.Integer({ minimum: 0 })

/** Of the codes outside the trash, but for `trashed`. */
export const CodeStats = Model('QrCodeStats', {
  total: Count,
  publicCount: Count,
  pinnedCount: Count,
  trashCount: Count,
  scanCount: Type.Integer({ minimum: 0, description: 'How often their public pages were opened, all together' }),
  byCategory: Type.Array(
    Type.Object(
      { categoryId: Nullable(Id), name: Nullable(Text('Menus')), count: Count },
      { description: 'Largest first; null: in no category' },
    ),
  ),
  byType: Type.Array(Type.Object({ contentType: ContentTypeName, count: Count })),
  byDay: ByDay,
})
export type CodeStats = Static<typeof CodeStats>

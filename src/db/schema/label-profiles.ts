import type { LabelProfile } from '#lib/labels/profile.ts'

import { col, index, table } from '../dialect.ts'
import type { OwnerKey } from '../owner-key.ts'

/** How labels look on a printer that somebody has. */
export const labelProfiles = table(
  'label_profiles',
  {
    id: col.id(),
    /** See db/owner-key.ts. */
    owner: col.int('owner').$type<OwnerKey>().notNull(),
    name: col.text('name').notNull(),
    settings: col.json<LabelSettings>('settings').notNull(),
    version: col.int('version').notNull().default(1),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [index('label_profiles_list').on(t.owner, t.name, t.id)],
)

/** A profile of labels without its name. */
export interface LabelSettings extends LabelProfile {
  readonly content: 'LINK' | 'NUMBER'
  /** Names of columns, `field:<id>` or `text:<text>`. */
  readonly fields: readonly string[]
  readonly fieldLabels: boolean
  readonly logo: boolean
}

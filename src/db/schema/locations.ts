import { col, index, table } from '../dialect.ts'
import { organizations } from './orgs.ts'

/** The locations of an organization form a tree, for example campus, building, room. */
export const orgLocations = table(
  'org_locations',
  {
    id: col.id(),
    orgId: col
      .int('org_id')
      .notNull()
      .references(() => organizations.id),
    /** Null at the top level, otherwise a location of the same organization. */
    parentId: col.int('parent_id'),
    name: col.text('name').notNull(),
    description: col.text('description').notNull().default(''),
    /** Degrees (WGS 84). Latitude and longitude are both set or both null. */
    latitude: col.real('latitude'),
    longitude: col.real('longitude'),
    pinned: col.bool('pinned').notNull().default(false),
    sortOrder: col.int('sort_order').notNull().default(0),
    /** Unguessable, for the code on a door. Every row has one: null is only possible because the column was added later. */
    uuid: col.text('uuid'),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [index('org_locations_tree').on(t.orgId, t.parentId), index('org_locations_uuid').on(t.uuid)],
)

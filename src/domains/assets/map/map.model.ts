import { ASSET_STATUSES } from '#db/schema/assets.ts'
import { Enum, Id, Latitude, Line, Longitude, Model, Nullable, type Static, Text, Type } from '#http/schema.ts'

import { MAX_ENTRIES } from '../grid.rules.ts'
import { filters } from '../register/register.model.ts'

const mapFields = {
  bbox: Type.Optional(
    Line(200, 0, {
      description:
        '`west,south,east,north` in degrees; the world by default. A box with west > east crosses the date line',
      examples: ['119.9,30.1,120.4,30.4'],
    }),
  ),
  zoom: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 22,
      description: 'As in maps of 256-pixel tiles; 2 by default',
      examples: [12],
    }),
  ),
}

const Count = Type.Integer({ minimum: 0 })

const MapItem = Model('AssetMapItem', {
  id: Id,
  uuid: Type.String({ format: 'uuid', examples: ['7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'] }),
  name: Text('Laptop 14'),
  assetNo: Text('A-2026-00042'),
  status: Enum(ASSET_STATUSES),
  categoryId: Nullable(Id),
  latitude: Latitude,
  longitude: Longitude,
})

const MapCluster = Model('AssetMapCluster', {
  latitude: { ...Latitude, description: 'The mean of its assets' },
  longitude: { ...Longitude, description: 'The mean of its assets' },
  count: Count,
  bbox: Type.Array(Type.Number(), {
    minItems: 4,
    maxItems: 4,
    description: '`[west, south, east, north]`: a map of this box shows exactly its assets',
    examples: [[120.1, 30.2, 120.2, 30.3]],
  }),
})

export const AssetMap = Model('AssetMap', {
  total: { ...Count, description: 'Assets in the box, as items and in clusters' },
  items: Type.Array(MapItem, { maxItems: MAX_ENTRIES }),
  clusters: Type.Array(MapCluster, { maxItems: MAX_ENTRIES }),
})
export type AssetMap = Static<typeof AssetMap>

export const MapQuery = Type.Object({ orgId: Type.Optional(Id), ...filters, ...mapFields })
export type MapQuery = Static<typeof MapQuery>

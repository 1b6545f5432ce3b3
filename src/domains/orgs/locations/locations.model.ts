import {
  Description,
  Id,
  Latitude,
  Longitude,
  Model,
  Name,
  Nullable,
  OneOf,
  SortItem,
  SortOrder,
  type Static,
  Text,
  Time,
  Tree,
  Type,
} from '#http/schema.ts'

/** Levels of the tree: country, city, campus, building, floor, room, cabinet, shelf. */
export const MAX_DEPTH = 8
/** The tree is always answered as a whole, so its size needs a limit. */
export const MAX_LOCATIONS = 5000
/** Locations in one request to pin or reorder: reordering is a statement for each, and other writes wait meanwhile. */
export const MAX_AT_ONCE = 1000

export const ByLocation = Type.Object({ orgId: Id, locationId: Id })

const coordinates = {
  latitude: Type.Optional(Nullable(Latitude)),
  longitude: Type.Optional(Nullable(Longitude)),
}

const LocationName = { ...Name, examples: ['Reading room'] }
const LocationDescription = { ...Description, examples: ['Second floor, west'] }

const together = { dependentRequired: { latitude: ['longitude'], longitude: ['latitude'] } }

export const CreateLocation = Model('CreateLocation', together, {
  name: LocationName,
  description: Type.Optional(Nullable(LocationDescription)),
  parentId: Type.Optional(Nullable(Id)),
  ...coordinates,
})
export type CreateLocation = Static<typeof CreateLocation>

/** Only the fields present change; `parentId` null moves the location to the top level. */
export const UpdateLocation = Model('UpdateLocation', together, {
  name: Type.Optional(LocationName),
  description: Type.Optional(Nullable(LocationDescription)),
  parentId: Type.Optional(Nullable(Id)),
  ...coordinates,
})
export type UpdateLocation = Static<typeof UpdateLocation>

const Ids = Type.Array(Id, { minItems: 1, maxItems: MAX_AT_ONCE, uniqueItems: true })
export const PinLocations = Model('PinLocations', { ids: Ids, pinned: Type.Boolean() })

/** Exactly one of the two: `ids` in their new order, or `items` with a sort order each. */
export const ReorderLocations = OneOf('ReorderLocations', ['ids', 'items'], {
  ids: Type.Optional(Ids),
  items: Type.Optional(Type.Array(SortItem, { minItems: 1, maxItems: MAX_AT_ONCE })),
})
export type ReorderLocations = Static<typeof ReorderLocations>

const fields = {
  id: Id,
  parentId: Nullable(Id),
  name: Text('Reading room'),
  description: Text('Second floor, west'),
  latitude: Nullable(Latitude),
  longitude: Nullable(Longitude),
  pinned: Type.Boolean(),
  sortOrder: SortOrder,
  uuid: Type.String({ format: 'uuid', examples: ['7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'] }),
  publicUrl: Text('http://localhost:8080/s/location/7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f', {
    description: 'The content of the code of the location: a page for members',
  }),
  createdAt: Time,
  updatedAt: Time,
}
export const LocationView = Model('Location', fields)
export type LocationView = Static<typeof LocationView>

export const LocationTree = Type.Array(Tree('LocationNode', fields))

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
/** The tree is answered whole, so it must end somewhere. */
export const MAX_LOCATIONS = 5000
/** Locations that one request pins or orders: each is a statement, and others wait for the write. */
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

/** Only the fields present change; `parentId` null moves to the top. */
export const UpdateLocation = Model('UpdateLocation', together, {
  name: Type.Optional(LocationName),
  description: Type.Optional(Nullable(LocationDescription)),
  parentId: Type.Optional(Nullable(Id)),
  ...coordinates,
})
export type UpdateLocation = Static<typeof UpdateLocation>

export const PinLocation = Model('Pin', { pinned: Type.Boolean() })

const Ids = Type.Array(Id, { minItems: 1, maxItems: MAX_AT_ONCE, uniqueItems: true })
export const PinLocations = Model('PinLocations', { ids: Ids, pinned: Type.Boolean() })

/** One of the two: `ids` in their new order, or `items` that name each one's place. */
export const ReorderLocations = OneOf('ReorderLocations', ['ids', 'items'], {
  ids: Type.Optional(Ids),
  items: Type.Optional(Type.Array(SortItem, { minItems: 1, maxItems: MAX_AT_ONCE })),
})
export type ReorderLocations = Static<typeof ReorderLocations>

const shown = {
  id: Id,
  parentId: Nullable(Id),
  name: Text('Reading room'),
  description: Text('Second floor, west'),
  latitude: Nullable(Latitude),
  longitude: Nullable(Longitude),
  pinned: Type.Boolean(),
  sortOrder: SortOrder,
  createdAt: Time,
  updatedAt: Time,
}
export const LocationView = Model('Location', shown)
export type LocationView = Static<typeof LocationView>
export type LocationNode = LocationView & { children: LocationNode[] }

export const LocationTree = Type.Array(Tree('LocationNode', shown))

/** Random data of rows. */

import { type Data, type Entity, SPECS } from './entities.ts'
import type { User, World } from './world.ts'

const WORDS = ['', 'red', 'blue']
const COLORS = ['#ff8800', '#0088ff']

/** Values for some fields of a row, or for all that a new row needs. References come from `refer`. */
export function someData(
  world: World,
  entity: Entity,
  isNew: boolean,
  refer: (field: string, target: Entity) => unknown,
): Data {
  const { chance, pick, random } = world
  const all: Data = {
    name: chance(60) ? `name ${random(1000)}` : pick(['same', 'other']),
    content: `content ${world.seed} ${world.next()}`,
    remark: pick(WORDS),
    brand: pick(WORDS),
    tags: pick([[], ['a'], ['a', 'b']]),
    isPublic: chance(50),
    pinned: chance(50),
    sortOrder: random(3),
    color: chance(3) ? 'orange' : pick(COLORS),
    title: pick([null, 'title', 'other']),
    favorite: chance(50),
    address: pick([null, 'street', 'road']),
    takenAt: pick([null, 1000, 2000]),
    watermark: pick([null, { text: 'a' }, { text: 'b' }]),
    shared: chance(50),
    status: pick(['IN_USE', 'IDLE', 'REPAIR']),
  }
  const { required, defaults, writable, references } = SPECS[entity]
  const names = isNew ? Object.keys(defaults) : writable
  const isWhole = chance(20)
  const data: Data = {}
  for (const name of names) {
    if (isNew && required.includes(name)) {
      if (name in all && !chance(1)) data[name] = all[name]
    } else if (references[name]) {
      if (chance(40)) data[name] = refer(name, references[name])
    } else if (name in all && (isWhole || chance(30))) data[name] = all[name]
  }
  if (entity === 'asset' && chance(25)) data['assetNo'] = `${pick(['no', 'No', 'NO'])}-${random(6)}`
  // Only organizations have categories that are not shared.
  if (entity === 'assetCategory' && chance(60)) delete data['shared']
  return data
}

/** Values of the fields of metadata that the user may fill. */
export function addValues(world: World, user: User, owner: number, data: Data): void {
  const org = world.orgs.find(({ id }) => id === owner)
  if (world.model.role(owner, user.id) === 'CUSTOM') return
  const fields = [user.fieldId, org?.fieldId].filter((id) => id !== undefined && world.chance(50))
  if (fields.length > 0)
    data['values'] = fields.map((fieldId) => ({ fieldId, value: world.pick(['one', 'two', null]) }))
}

export async function uploadFor(world: World, user: User, owner: number): Promise<number> {
  const isAllowed = world.model.can(user.id, owner, 'album:create')
  const id = await world.server.upload(user, isAllowed ? Math.max(owner, 0) : 0)
  world.model.files.set(id, isAllowed ? owner : -user.id)
  return id
}

export const referIn =
  (world: World, owner: number) =>
  (_field: string, target: Entity): unknown =>
    world.chance(30) ? null : (world.pick(world.model.liveOf(target, owner))?.id ?? null)

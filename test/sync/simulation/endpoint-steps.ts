/** Edits by the endpoints, as a browser makes them. */

import { type Data, type Entity, isCategory, PATHS, SPECS } from './entities.ts'
import { addValues, referIn, someData, uploadFor } from './random-data.ts'
import { expanded, Mismatch, type Row, valueOf } from './rows.ts'
import type { Reply, User, World } from './world.ts'

const isChanged = ({ status }: Reply): boolean => status === 200

/** A user edits by the endpoints, as a browser does. Refusals of the endpoints change nothing. */
export async function editByEndpoint(world: World): Promise<void> {
  const { chance, model, pick } = world
  const user = world.someUser()
  const entity = pick(world.entities)
  const spec = SPECS[entity]
  const owners = [-user.id, ...(spec.inOrganizations ? world.orgs.map(({ id }) => id) : [])]
  const owner = pick(owners.filter((each) => model.can(user.id, each, spec.update)))
  const rows = model.liveOf(entity, owner).filter((row) => model.canSee(user.id, row))
  if (rows.length === 0 || chance(rows.length < 3 ? 35 : 10)) return createByEndpoint(world, user, entity, owner)
  const row = chance(50) ? rows.toSorted((a, b) => b.lo - a.lo)[0]! : pick(rows)
  if (chance(20) && model.can(user.id, owner, spec.delete)) return deleteByEndpoint(world, user, row)
  await changeByEndpoint(world, user, row)
}

async function createByEndpoint(world: World, user: User, entity: Entity, owner: number): Promise<void> {
  const { model } = world
  const data = someData(world, entity, true, referIn(world, owner))
  for (const name of ['pinned', 'sortOrder']) delete data[name]
  if (entity === 'scanRecord') delete data['qrCodeId']
  if (entity === 'albumPhoto') data['fileId'] = await uploadFor(world, user, owner)
  if (owner > 0) data['orgId'] = owner
  if (entity === 'asset') addValues(world, user, owner, data)
  const reply = await world.request(user.devices[0], 'POST', PATHS[entity], data)
  world.note(`POST ${PATHS[entity]} ${JSON.stringify(data)}: ${reply.status} ${reply.data?.id ?? reply.text}`)
  delete data['orgId']
  if (reply.isRepeated) return adopt(world, user, entity, owner)
  if (reply.status !== 200) return
  const row = model.create(entity, reply.data.id as number, owner, user.id, expanded(data), undefined)
  model.settle(row)
  learn(world, row, reply)
}

/** A request was repeated that may have been executed before: learns of rows that the model does not know. */
export async function adopt(world: World, user: User, entity: Entity, owner: number): Promise<void> {
  const { model } = world
  for (const view of await world.list(user.devices[0]!, entity, owner)) {
    if (model.find(entity, view.id)) continue
    world.note(`${entity} ${view.id} is adopted`)
    const names = Object.keys(SPECS[entity].defaults)
    const row = model.create(
      entity,
      view.id,
      owner,
      user.id,
      Object.fromEntries(names.map((name) => [name, view[name]])),
      undefined,
    )
    for (const { fieldId, value } of (view['values'] ?? []) as { fieldId: number; value: unknown }[])
      row.data[`#${fieldId}`] = value
    // The time of the first try is not known.
    row.lo = 0
    if (typeof view.updatedAt === 'number') model.stamped(row, view.updatedAt)
  }
}

/** Takes the stamp from the answer, if it shows one, and compares the rest. */
export function learn(world: World, row: Row, { data }: Reply): void {
  world.checkRow(row, data as Data, 'the answer')
  if (typeof data.updatedAt !== 'number') return
  world.model.stamped(row, data.updatedAt)
  if (data.updatedAt > world.model.floor) world.model.see(data.updatedAt)
}

async function changeByEndpoint(world: World, user: User, row: Row): Promise<void> {
  const { chance, model } = world
  const { entity, id, owner } = row
  const device = user.devices[0]
  const path = `${PATHS[entity]}/${id}`
  let data = someData(world, entity, false, referIn(world, owner))
  let reply: Reply
  if (entity === 'albumPhoto') return
  if (entity === 'asset') addValues(world, user, owner, data)
  if (isCategory(entity) && chance(40)) {
    const isMove = chance(50)
    data = isMove ? { parentId: referIn(world, owner)('parentId', entity) } : { pinned: chance(50) }
    reply = await world.request(device, 'PATCH', `${path}/${isMove ? 'parent' : 'pin'}`, data)
  } else {
    if (isCategory(entity)) for (const name of ['parentId', 'pinned', 'sortOrder']) delete data[name]
    reply = await world.request(device, entity === 'scanRecord' ? 'PATCH' : 'PUT', path, data)
  }
  world.note(`change ${path} ${JSON.stringify(data)}: ${reply.status}`)
  if (!isChanged(reply)) return
  const fields = expanded(data)
  const isUnknown = Object.keys(fields).some((name) => valueOf(row, name) === undefined)
  const { lo } = row
  const stamp: unknown = reply.data?.updatedAt
  if (model.change(row, fields, typeof stamp === 'number' ? stamp : undefined)) learn(world, row, reply)
  if (!isUnknown) return
  // The value before is not known, so the change may have changed nothing.
  row.isFuzzy = true
  row.lo = lo
}

export async function deleteByEndpoint(world: World, user: User, row: Row): Promise<void> {
  const path = `${PATHS[row.entity]}/${row.id}`
  const reply = await world.request(user.devices[0], 'DELETE', path)
  world.note(`DELETE ${path}: ${reply.status}`)
  if (reply.status === 200 || (reply.isRepeated && reply.status === 404)) world.model.delete(row)
}

/** Restores a code from the trash, or empties the trash. */
export async function useTrash(world: World): Promise<void> {
  const { chance, model, pick } = world
  const isTrashed = (row: Row) => row.entity === 'qrCode' && row.isDeleted && !row.isGone
  const row = pick([...model.rows.values()].filter(isTrashed))
  if (row === undefined) return
  const user = pick(
    world.users.filter(({ id }) =>
      ['qr_code:update', 'qr_code:delete'].every((point) => model.can(id, row.owner, point)),
    ),
  )
  if (user === undefined) return
  if (chance(60)) {
    const reply = await world.request(user.devices[0], 'PATCH', `/api/qr-codes/trash/restore/${row.id}`)
    world.note(`restore qrCode ${row.id}: ${reply.status}`)
    const isDone = reply.status === 404 && reply.isRepeated
    if (reply.status !== 200 && !isDone) throw new Mismatch(`restoring answered ${reply.text}`)
    model.change(row, {})
    if (!isDone) learn(world, row, reply)
    return
  }
  const query = row.owner > 0 ? `?orgId=${row.owner}` : ''
  await world.ok(user.devices[0], 'DELETE', `/api/qr-codes/trash${query}`)
  world.note(`the trash of ${row.owner} is emptied`)
  for (const each of model.rows.values()) if (isTrashed(each) && each.owner === row.owner) model.purge(each)
}

/** Edits on devices, and their synchronization over a bad network. */

import { Copy, type Device, type Edit } from './device.ts'
import { deleteByEndpoint } from './endpoint-steps.ts'
import { type Entity, isCategory, SPECS } from './entities.ts'
import type { Conflict, Pushed } from './model.ts'
import { addValues, referIn, someData, uploadFor } from './random-data.ts'
import { Mismatch, type Row } from './rows.ts'
import type { User, World } from './world.ts'

/** Such records depend on others in the batch in ways that the rules do not order. */
const isStructural = (world: World, edit: Edit): boolean =>
  edit.deleted ||
  edit.data['assetNo'] !== undefined ||
  (isCategory(edit.entity) && edit.data['parentId'] !== undefined && isKnown(world, edit))
const isKnown = (world: World, { entity, serverId }: Edit): boolean =>
  serverId !== undefined && world.model.find(entity, serverId) !== undefined

const userOf = (world: World, device: Device): User => world.users.find(({ id }) => id === device.userId)!

/** A user edits, creates or deletes a row on a device, which may be offline. */
export async function editOnDevice(world: World): Promise<void> {
  const { chance, pick } = world
  const device = world.someDevice()
  const entity = pick(world.entities)
  const at = world.clockOf(device)
  const refer = (_field: string, target: Entity): unknown => {
    const targets = device.targets(target)
    if (targets.length === 0 || chance(15)) return null
    const { localId, serverId } = pick(targets)
    return serverId === undefined || (chance(30) && !localId.startsWith('of ')) ? localId : serverId
  }
  const targets = device.targets(entity)
  if (targets.length === 0 || chance(targets.length < 3 ? 40 : 12)) {
    const target = device.newTarget(entity)
    const data = someData(world, entity, true, refer)
    const orgs = world.orgs.filter((org) => world.model.role(org.id, device.userId) !== undefined || chance(10))
    let owner = -device.userId
    if (orgs.length > 0 && SPECS[entity].inOrganizations && chance(50)) owner = pick(orgs).id
    if (owner > 0) data['orgId'] = owner
    if (entity === 'scanRecord' && chance(30)) {
      const code = pick(world.model.visible(device.userId).filter((row) => row.entity === 'qrCode'))
      if (code) data['content'] = code.data['content']
    }
    if (entity === 'albumPhoto' && !chance(5)) data['fileId'] = await uploadFor(world, userOf(world, device), owner)
    if (entity === 'asset') addValues(world, userOf(world, device), owner, data)
    // A category below itself cannot be created.
    if (data['parentId'] === target.localId) delete data['parentId']
    device.edit(target, data, at)
    return
  }
  // Often the row that was changed last, so that edits meet.
  const latest = targets.filter(
    ({ serverId }) => serverId !== undefined && serverId === latestOf(world, device, entity),
  )
  const target = pick(latest.length > 0 && chance(60) ? latest : targets)
  if (chance(15)) return device.edit(target, 'delete', at)
  const data = someData(world, entity, false, refer)
  const owner = target.serverId && world.model.find(entity, target.serverId)?.owner
  if (entity === 'asset' && owner) addValues(world, userOf(world, device), owner, data)
  if (data['parentId'] === target.localId || data['parentId'] === target.serverId) delete data['parentId']
  device.edit(target, data, at)
}

/** A row of a user is deleted elsewhere, and a device that still shows it refers to it from a new row. */
export async function referToDeleted(world: World): Promise<void> {
  const { model, pick } = world
  const device = world.someDevice()
  const shown = (entity: Entity): Row[] =>
    device.targets(entity).flatMap(({ serverId = 0 }) => {
      const row = model.find(entity, serverId)
      return row && !row.isDeleted && row.owner === -device.userId ? row : []
    })
  const uses = world.entities.flatMap((entity) =>
    Object.entries(SPECS[entity].references).flatMap(([field, to]) =>
      world.entities.includes(to) ? shown(to).map((row) => ({ entity, field, row })) : [],
    ),
  )
  const use = pick(uses)
  if (use === undefined) return
  const { entity, field, row } = use
  await deleteByEndpoint(world, userOf(world, device), row)
  const data = someData(world, entity, true, () => null)
  if (entity === 'albumPhoto') data['fileId'] = await uploadFor(world, userOf(world, device), row.owner)
  device.edit(device.newTarget(entity), { ...data, [field]: row.id }, world.clockOf(device))
  if (world.chance(70)) await push(world, device)
}

/** Several devices change the same row, before they hear of each other. */
export async function editTogether(world: World): Promise<void> {
  const { chance, model, pick } = world
  const devices = world.devices.filter(() => chance(70))
  const known = (device: Device) => world.entities.flatMap((entity) => device.targets(entity))
  const first = pick(devices.flatMap((device) => known(device).filter(({ serverId }) => serverId !== undefined)))
  if (first === undefined) return
  const { entity, serverId } = first
  const row = model.find(entity, serverId!)!
  for (const device of devices) {
    const target = known(device).find((each) => each.entity === entity && each.serverId === serverId)
    if (target === undefined) continue
    const data = chance(20) ? 'delete' : someData(world, entity, false, referIn(world, row.owner))
    if (data !== 'delete' && data['parentId'] === serverId) delete data['parentId']
    // Sometimes at the very time of the server's last change, or without a version, as a client with a defect.
    const at = chance(15) && row.lo === row.hi ? row.lo : world.clockOf(device)
    if (chance(15)) device.force(target, serverId!, data === 'delete' ? undefined : data, at)
    else device.edit(target, data, at)
    if (chance(50)) await push(world, device)
  }
}

/** The visible row that was changed last. */
const latestOf = (world: World, device: Device, entity: Entity): number | undefined =>
  world.model
    .visible(device.userId)
    .filter((row) => row.entity === entity)
    .toSorted((a, b) => b.lo - a.lo)[0]?.id

/** Chooses edits that can be pushed together. */
function someEdits(world: World, device: Device): readonly Edit[] {
  const structural = device.edits.filter((edit) => isStructural(world, edit))
  const others = device.edits.filter((edit) => !structural.includes(edit))
  if (others.length > 0) {
    const chosen = world.chance(70) ? others : others.slice(0, 1 + world.random(others.length))
    // References may name records that come later in the batch.
    return world.chance(40) ? chosen.toReversed() : chosen
  }
  const first = structural[0]!
  if (!first.deleted || !world.chance(60)) return [first]
  // Categories may be deleted together with those below them.
  return structural.filter(({ deleted, entity }) => deleted && entity === first.entity)
}

/** Pushes a batch, unless the network loses it. Its answer may be lost, and it may arrive once more, at once or later. */
export async function pushFrom(world: World, device: Device, isReliable = false): Promise<void> {
  const { chance, random } = world
  if (device.sent === undefined && device.edits.length === 0) return
  const records = device.sent ?? device.take(someEdits(world, device), chance(50))
  if (!isReliable && chance(10)) {
    world.note(`${device.name}: the batch is lost`)
    if (chance(30)) world.late.push({ device, records })
    return
  }
  const results = await world.push(device, records)
  if (chance(5)) await world.push(device, records.toReversed().concat(records.slice(0, random(2))))
  if (chance(15)) world.late.push({ device, records })
  if (!isReliable && chance(15)) return world.note(`${device.name}: the answer is lost`)
  device.answered(results)
}

/** A device pushes some of its edits, or, if it does what docs/sync.md says, synchronizes. */
export const push = (world: World, device: Device): Promise<void> =>
  device.isLiteral ? synchronize(world, device) : pushFrom(world, device)

/** Pulls, pushes and pulls again. Without an answer to a batch it ends, and the next time begins with a pull again. */
async function synchronize(world: World, device: Device): Promise<void> {
  const pull = async () => {
    for (const copy of device.copies)
      do await world.pull(device, copy, world.isBig ? 2000 : undefined)
      while (!copy.isComplete)
  }
  await pull()
  while (device.sent !== undefined || device.edits.length > 0) {
    await pushFrom(world, device)
    if (device.sent !== undefined) return
  }
  await pull()
}

export async function deliverLate(world: World): Promise<void> {
  if (world.late.length === 0) return
  const [late] = world.late.splice(world.random(world.late.length), 1)
  await world.push(late!.device, late!.records)
}

export async function pullTo(world: World, device: Device): Promise<void> {
  if (device.isLiteral) return synchronize(world, device)
  const copy = await someCopy(world, device)
  const pages = world.pick([1, 1, 2, 20])
  for (let page = 0; page < pages; page++) if (!(await world.pull(device, copy)) || copy.isComplete) return
}

async function someCopy(world: World, device: Device): Promise<Copy> {
  const org = world.orgs.length > 0 && world.chance(10) ? world.pick(world.orgs) : undefined
  if (org === undefined) return world.pick(device.copies)
  const copy = device.organizations.get(org.id) ?? new Copy(world.entities, org.id)
  device.organizations.set(org.id, copy)
  return copy
}

/** A user resolves a conflict on one of the devices. */
export async function resolve(world: World): Promise<void> {
  const open = [...world.model.conflicts.values()].filter(({ acceptServer }) => acceptServer === undefined)
  if (open.length === 0) return
  await resolveOne(world, world.pick(open))
}

/** Another value than before, for entities that have names. */
const someName = ({ data }: Pushed) => (data?.['name'] === undefined ? {} : { name: 'once more' })

export async function resolveAll(world: World): Promise<void> {
  for (const conflict of world.model.conflicts.values())
    if (conflict.acceptServer === undefined) await resolveOne(world, conflict)
}

async function resolveOne(world: World, conflict: Conflict): Promise<void> {
  const { chance, model, pick } = world
  const acceptServer = chance(50) && model.canAccept(conflict)
  const user = world.users.find(({ id }) => id === conflict.userId)!
  const origin = world.devices.find(({ name }) => name === conflict.device)!
  const body = { conflictId: conflict.id, acceptServer }
  const reply = await world.request(pick(user.devices), 'POST', '/api/sync/resolve', body)
  world.note(`resolve ${JSON.stringify(body)}: ${reply.text}`)
  // The server's state may break a rule by now.
  if (reply.status === 400 && acceptServer && conflict.winner === 'CLIENT') return
  if (reply.status !== 200) throw new Mismatch(`resolve answered ${reply.text}`)
  model.resolve(conflict, acceptServer, reply.data.version as number)
  if (acceptServer) world.expectAgain(origin, conflict.row)
  else if (chance(60) && origin.sent === undefined) {
    const { record, row } = conflict
    const updatedAt = chance(50) ? record.updatedAt : world.clockOf(origin)
    origin.force(record, row.id, record.deleted ? undefined : record.data, updatedAt)
    if (chance(40)) {
      while (origin.sent !== undefined || origin.edits.length > 0) await pushFrom(world, origin, true)
      // The answer counts once.
      origin.force(
        record,
        row.id,
        record.deleted ? undefined : { ...record.data, ...someName(record) },
        record.updatedAt - 1,
      )
    }
  }
  if (!chance(20)) return
  const again = await world.request(pick(user.devices), 'POST', '/api/sync/resolve', body)
  const other = await world.request(pick(user.devices), 'POST', '/api/sync/resolve', {
    ...body,
    acceptServer: !acceptServer,
  })
  if (again.status !== 200 || other.status !== 400)
    throw new Mismatch(`resolve again answered ${again.text} and ${other.text}`)
}

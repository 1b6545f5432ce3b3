/** Runs worlds, and says how to repeat one that failed. */

import * as devices from './device-steps.ts'
import type { Copy, Device, View } from './device.ts'
import * as endpoints from './endpoint-steps.ts'
import { type Entity, SPECS } from './entities.ts'
import * as organizations from './organization-steps.ts'
import { Mismatch, same, show } from './rows.ts'
import { type Server, World } from './world.ts'

type Step = (world: World) => Promise<void>

/** The more often a step is listed, the more often it happens. */
const STEPS: readonly Step[] = [
  ...Array<Step>(8).fill(devices.editOnDevice),
  ...Array<Step>(6).fill((world) => devices.push(world, world.someDevice())),
  ...Array<Step>(5).fill((world) => devices.pullTo(world, world.someDevice())),
  ...Array<Step>(5).fill(endpoints.editByEndpoint),
  devices.editTogether,
  devices.editTogether,
  devices.editTogether,
  devices.editTogether,
  devices.editTogether,
  ...Array<Step>(3).fill(devices.referToDeleted),
  devices.deliverLate,
  devices.resolve,
  devices.resolve,
  organizations.changeMembers,
  organizations.changeMembers,
  endpoints.useTrash,
  organizations.share,
  organizations.giveAsset,
  organizations.dissolve,
]

export async function runWorld(seed: number, server: Server): Promise<World> {
  const world = new World(seed, server)
  try {
    await world.setUp()
    const count = 18 + world.random(20)
    for (let i = 0; i < count; i++) await world.pick(STEPS)(world)
    await quiesce(world)
  } catch (error) {
    const lines = world.trace.map((line) => `  ${line}`).join('\n')
    throw new Error(
      `${error instanceof Mismatch ? error.message : Bun.inspect(error)}\nrepeat with SYNC_SEED=${seed}; what happened:\n${lines}`,
      { cause: error },
    )
  }
  return world
}

/** The network works, all edits are pushed and all changes are pulled. Then every device has what its user sees. */
async function quiesce(world: World): Promise<void> {
  while (world.late.length > 0) await devices.deliverLate(world)
  const pushAll = async () => {
    for (const device of world.devices)
      while (device.sent !== undefined || device.edits.length > 0) await devices.pushFrom(world, device, true)
  }
  await pushAll()
  await devices.resolveAll(world)
  await pushAll()
  while (world.late.length > 0) await devices.deliverLate(world)
  // Its stamp is later than all others.
  const scan = { content: `the end of ${world.seed}`, title: 'the end' }
  const [user] = world.users
  const reply = await world.request(user!.devices[0], 'POST', '/api/scan-records', scan)
  if (reply.status !== 200) throw new Mismatch(`a scan answered ${reply.text}`)
  const { id, createdAt } = reply.data as { id: number; createdAt: number }
  world.model.create('scanRecord', id, -user!.id, user!.id, scan, createdAt)
  world.model.see(createdAt)
  if (reply.isRepeated) await endpoints.adopt(world, user!, 'scanRecord', -user!.id)
  for (const device of world.devices)
    for (const copy of [...device.copies, ...device.organizations.values()])
      await catchUp(world, device, copy, createdAt)
  for (const user of world.users) {
    const listed = await listAll(world, user.devices[0]!)
    for (const device of user.devices) for (const copy of device.copies) compareWithLists(device, copy, listed)
  }
}

/** Pulls that a device may need to get a change while other writes run on PostgreSQL: a page ends before those that have not ended. */
const PATIENCE = 1000

async function catchUp(world: World, device: Device, copy: Copy, until: number): Promise<void> {
  for (let pulls = 0; ; pulls++) {
    if (!(await world.pull(device, copy, world.isBig ? 2000 : 100))) return
    if (!copy.isComplete || copy.since < until) continue
    try {
      return world.compare(device, copy)
    } catch (error) {
      if (world.server.isImmediate || pulls > PATIENCE) throw error
      await Bun.sleep(10)
    }
  }
}

type Listed = ReadonlyMap<Entity, ReadonlyMap<number, View>>

/** The rows that the endpoints list for the user, own ones and those of organizations. */
async function listAll(world: World, device: Device): Promise<Listed> {
  const listed = new Map(world.entities.map((entity) => [entity, new Map<number, View>()]))
  const orgs = world.orgs.map(({ id }) => id)
  for (const entity of world.entities) {
    const { inOrganizations, read } = SPECS[entity]
    const owners = [
      -device.userId,
      ...(inOrganizations ? orgs.filter((id) => world.model.can(device.userId, id, read)) : []),
    ]
    for (const owner of owners)
      for (const view of await world.list(device, entity, owner)) listed.get(entity)!.set(view.id, view)
  }
  return listed
}

const ADDED = ['version', 'updatedAt', 'orgId', 'localId']

function compareWithLists(device: Device, copy: Copy, listed: Listed): void {
  for (const entity of copy.entities) {
    const [rows, views] = [copy.rows.get(entity)!, listed.get(entity)!]
    const ids = (map: ReadonlyMap<number, unknown>) => [...map.keys()].toSorted((a, b) => a - b)
    if (!same(ids(rows), ids(views)))
      throw new Mismatch(
        `${device.name} has ${entity} ${ids(rows).join()}, but the endpoints list ${ids(views).join()}`,
      )
    const { volatile } = SPECS[entity]
    for (const [id, view] of views) {
      const row = rows.get(id)!
      const names = new Set([...Object.keys(view), ...Object.keys(row).filter((name) => !ADDED.includes(name))])
      for (const name of names)
        if (!volatile.includes(name) && !same(row[name], view[name]))
          throw new Mismatch(`${device.name} has another ${name}: ${show(row)} instead of ${show(view)}`)
    }
  }
}

export interface Options {
  readonly first: number
  readonly count: number
  /** Worlds at once, which share the server. */
  readonly atOnce: number
}

/** Runs worlds until all have ended, or one has failed. Returns how often each outcome occurred. */
export async function runWorlds(server: Server, { first, count, atOnce }: Options): Promise<Map<string, number>> {
  const outcomes = new Map<string, number>()
  let next = first
  const failures: unknown[] = []
  const work = async () => {
    while (next < first + count && failures.length === 0) {
      try {
        const world = await runWorld(next++, server)
        for (const [name, n] of world.outcomes) outcomes.set(name, (outcomes.get(name) ?? 0) + n)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, work))
  if (failures.length > 0) throw failures[0]
  return outcomes
}

/**
 * A small world: three users with five devices, and two organizations. Everything in it follows from its seed. The model sees every request and
 * answer, and each answer of the synchronization must be one that the rules allow.
 */

import { randomOf } from '../../assets/history-model.ts'
import { type Copy, Device, type Page, type View } from './device.ts'
import { type Data, ENTITIES, type Entity, PATHS, SPECS } from './entities.ts'
import { Model, type Pushed, type Result } from './model.ts'
import { Mismatch, type Row, same, show } from './rows.ts'

/** The server under test. It may be killed and started again at any time. */
export interface Server {
  readonly url: () => string
  /** Resolves when the server answers again after a request has failed. */
  readonly isBack: () => Promise<void>
  /** Is called for each request that was answered. */
  readonly isAnswered: () => void
  /** An image of the user for the album. Returns the id of the file. */
  readonly upload: (user: User, orgId: number) => Promise<number>
  /** Sends a request as an administrator of the server. */
  readonly asAdmin: (method: string, path: string, body: unknown) => Promise<Reply['data']>
  readonly isKilled: boolean
  /** Whether pulls show every write that was answered before: PostgreSQL waits for writes of others. */
  readonly isImmediate: boolean
}

export interface User {
  readonly id: number
  readonly devices: Device[]
  /** A field of metadata that only this user sees. */
  fieldId?: number
}

export interface Reply {
  readonly status: number
  readonly code: number
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  readonly data: any
  readonly text: string
  /** A first try may have been executed, but its answer was lost. */
  readonly isRepeated: boolean
}

export interface Org {
  readonly id: number
  readonly code: string
  readonly owner: User
  isDissolved: boolean
  /** Of the role CUSTOM, once there is one. */
  roleId?: number
  /** A field of metadata of its assets. */
  fieldId?: number
}

/** A batch that the network delivers once more, later. */
interface Late {
  readonly device: Device
  readonly records: readonly Pushed[]
}

const HOUR = 3_600_000
const CLOCK_ERRORS = [0, 0, 0, 2000, -2000, HOUR, -HOUR, 24 * HOUR, -24 * HOUR]
const LIMITS = [1, 2, 3, 7, 50, 500, 500]
/** More than a world has, unless it is big. */
const MOST_CHANGES = 400

export class World {
  readonly model = new Model()
  readonly users: User[] = []
  readonly orgs: Org[] = []
  readonly late: Late[] = []
  readonly trace: string[] = []
  readonly outcomes = new Map<string, number>()
  readonly entities: readonly Entity[]
  readonly #resent = new Map<Device, Set<Row>>()
  /** Organizations in which a user ever was. */
  readonly #everIn = new Map<number, Set<number>>()
  readonly random: (below: number) => number
  readonly pick: <T>(values: readonly T[]) => T
  readonly chance: (percent: number) => boolean
  /** Whether single steps and answers of this world can have hundreds of rows. */
  readonly isBig: boolean

  constructor(
    readonly seed: number,
    readonly server: Server,
  ) {
    // Neighbouring seeds of the generator begin alike.
    const { random, pick, chance } = randomOf(Math.imul(seed, 0x9e3779b1))
    Object.assign(this, { random, pick, chance })
    this.random = random
    this.pick = pick
    this.chance = chance
    this.isBig = seed % 50 === 49 && !server.isKilled
    const entities = shuffled(ENTITIES, random).slice(0, pick([1, 1, 2, 2, 2, 3, 3, 6]))
    this.entities = this.isBig ? ['qrCode'] : entities
  }

  // Requests

  async request(
    device: Device | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers = {},
  ): Promise<Reply> {
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        const response = await fetch(this.server.url() + path, {
          method,
          headers: {
            ...(device && { authorization: `Bearer ${device.token}`, 'x-device-id': device.deviceId }),
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        const text = await response.text()
        const { code = 0, data = null } = text === '' ? {} : (JSON.parse(text) as Partial<Reply>)
        if (response.status >= 500 && response.status !== 503)
          throw new Mismatch(`${method} ${path} answered ${response.status} ${text}`)
        if (response.status !== 503) {
          this.server.isAnswered()
          return { status: response.status, code, data, text, isRepeated }
        }
      } catch (error) {
        if (error instanceof Mismatch || error instanceof SyntaxError) throw error
      }
      await this.server.isBack()
    }
  }

  async ok(
    device: Device | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers = {},
  ): Promise<Reply['data']> {
    const reply = await this.request(device, method, path, body, headers)
    if (reply.status !== 200) throw new Mismatch(`${method} ${path} answered ${reply.text}`)
    return reply.data
  }

  #last = 0
  next = (): number => ++this.#last

  note(line: string): void {
    this.trace.push(line)
  }

  count(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
  }

  // Set-up

  async setUp(): Promise<void> {
    for (let i = 0; i < 3; i++) await this.#signUp(`${this.seed}-${i}`, i === 2 ? 1 : 2)
    const isUseful = this.entities.some((entity) => SPECS[entity].inOrganizations)
    const count = this.isBig ? 1 : isUseful ? this.pick([0, 1, 1, 2, 2]) : 0
    for (let i = 0; i < count; i++) {
      const owner = this.users[i]!
      const { id, code } = await this.ok(owner.devices[0], 'POST', '/api/orgs', {
        name: `Org ${i}`,
        joinPolicy: 'FREE',
      })
      this.orgs.push({ id, code, owner, isDissolved: false })
      this.model.members.set(id, new Map([[owner.id, 'OWNER']]))
      this.enter(id, owner)
      for (const user of this.users) if (user !== owner && this.chance(60)) await this.join(this.orgs.at(-1)!, user)
    }
    if (this.isBig) await this.#fill(this.orgs[0]!)
    if (!this.entities.includes('asset') || !this.chance(30)) return
    const field = { name: 'Note', type: 'TEXT' }
    for (const user of this.users.slice(0, 2))
      user.fieldId = (await this.ok(user.devices[0], 'POST', '/api/meta/objects/asset/fields', field)).id
    for (const org of this.orgs)
      org.fieldId = (
        await this.ok(org.owner.devices[0], 'POST', `/api/orgs/${org.id}/meta/objects/asset/fields`, field)
      ).id
  }

  /** More codes than come at one position when the organization becomes readable. Several writes of different sizes. */
  async #fill(org: Org): Promise<void> {
    for (const size of [300, 199, 1, 1, 1, 250, 7]) {
      const items = Array.from({ length: size }, (_, i) => ({ name: `code ${i}`, content: `many ${this.next()}` }))
      const { items: created } = await this.ok(org.owner.devices[0], 'POST', '/api/qr-codes/batch', {
        items,
        orgId: org.id,
      })
      for (const { id, updatedAt, name, content } of created as View[]) {
        this.model.create('qrCode', id, org.id, org.owner.id, { name, content }, updatedAt)
        this.model.see(updatedAt)
      }
    }
  }

  async #signUp(name: string, devices: number): Promise<void> {
    const deviceId = `device-of-${name}-${crypto.randomUUID()}`
    const login = await this.ok(undefined, 'POST', '/api/auth/device-login', {}, { 'x-device-id': deviceId })
    const user: User = { id: login.user.id, devices: [] }
    this.users.push(user)
    user.devices.push(this.#device('0', user, login.accessToken, deviceId))
    for (let i = 1; i < devices; i++) {
      const other = `other-device-of-${name}-${crypto.randomUUID()}`
      const session = await this.ok(user.devices[0], 'POST', '/api/auth/sessions', { deviceId: other })
      user.devices.push(this.#device(String(i), user, session.accessToken, other))
    }
  }

  #device(name: string, user: User, token: string, deviceId: string): Device {
    const [one, two] = [this.entities.slice(0, 1), this.entities.slice(1)]
    const split = two.length > 0 && this.chance(20) ? [one, two] : [this.entities]
    const clockError = this.pick(CLOCK_ERRORS)
    return new Device(`${this.users.length}.${name}`, user.id, token, deviceId, clockError, split, this.chance(30))
  }

  get devices(): Device[] {
    return this.users.flatMap(({ devices }) => devices)
  }

  /** Most steps are those of the first user, so that they meet. */
  someUser = (): User => (this.chance(40) ? this.users[0]! : this.pick(this.users))
  someDevice = (): Device => this.pick(this.someUser().devices)

  /** A device of a user can keep an organization apart, by pulls with `orgId`. */
  enter(orgId: number, user: User): void {
    const orgs = this.#everIn.get(user.id) ?? new Set()
    this.#everIn.set(user.id, orgs.add(orgId))
  }

  async join(org: Org, user: User): Promise<void> {
    const { status, isRepeated } = await this.request(user.devices[0], 'POST', '/api/orgs/join-by-code', {
      code: org.code,
    })
    this.note(`user ${user.id} joins ${org.id}: ${status}`)
    if (status !== 200 && !isRepeated) return
    this.model.members.get(org.id)!.set(user.id, 'MEMBER')
    this.enter(org.id, user)
  }

  /** The time on a device: later than every change in this world so far, plus the error of its clock. */
  clockOf = (device: Device): number => Math.max(Date.now(), this.model.floor + 1) + device.clockError

  // Pushes

  /** Sends a batch. The model sees the answer, even if the device will not. */
  async push(device: Device, records: readonly Pushed[]): Promise<readonly Result[]> {
    const before = Date.now()
    const { serverTime, results } = (await this.ok(device, 'POST', '/api/sync/push', { records })) as {
      serverTime: number
      results: Result[]
    }
    for (const result of results) {
      // Absent and null mean the same.
      if (result.conflictId === null) delete (result as { conflictId?: number }).conflictId
      this.count(`${result.entity} ${result.status}${result.conflictId === undefined ? '' : ' !'}`)
    }
    this.note(`${device.name} pushes ${show(records)}\n    → ${show(results.map(short))}`)
    const isRepeat = records.map((record) => this.model.isRepeat(device.name, record))
    this.model.push(device.name, device.userId, records, results, before)
    for (const [i, { entity, serverId, status, dropped }] of results.entries()) {
      const row = serverId === null ? undefined : this.model.find(entity, serverId)
      if (dropped !== undefined) this.count(`${entity} dropped`)
      if (row && (isRepeat[i] || status === 'CONFLICT' || dropped !== undefined)) this.expectAgain(device, row)
    }
    if (this.server.isImmediate) this.model.seeTime(serverTime)
    return results
  }

  // Pulls

  /** One page. Returns false if the organization is closed to the user. */
  async pull(device: Device, copy: Copy, limit = this.pick(LIMITS)): Promise<boolean> {
    const { since, orgId, entities } = copy
    const all = entities.length === ENTITIES.length ? '' : `&entities=${entities.join()}`
    const path = `/api/sync/pull?since=${since}&limit=${limit}${all}${orgId === undefined ? '' : `&orgId=${orgId}`}`
    const { status, data, text } = await this.request(device, 'GET', path)
    if (orgId !== undefined && this.model.role(orgId, device.userId) === undefined) {
      if (status !== 403 && status !== 404)
        throw new Mismatch(`a pull of another organization answered ${status} ${text}`)
      return false
    }
    if (status !== 200) throw new Mismatch(`GET ${path} answered ${text}`)
    const page = data as Page
    this.note(`${device.name} pulls ${path.slice(15)} → ${show({ ...page, changes: briefly(page) })}`)
    this.#checkPage(device, copy, page)
    copy.apply(page)
    // A full page ends at its last change, which may be one that is not shown. Others end at the time of the server.
    if (this.server.isImmediate && copy.isComplete && limit > MOST_CHANGES && !this.isBig)
      this.model.seeTime(page.serverTime)
    if (copy.isComplete && this.server.isImmediate) this.compare(device, copy)
    return true
  }

  #checkPage(device: Device, copy: Copy, page: Page): void {
    if (page.resync) throw new Mismatch('the device was asked to pull everything again')
    if (page.hasMore ? page.serverTime <= copy.since : page.serverTime < copy.since)
      throw new Mismatch(`the page after ${copy.since} ends at ${page.serverTime}`)
    const resent = this.#resent.get(device)
    for (const entity of copy.entities) {
      const changes = page.changes[entity]
      if (changes === undefined) throw new Mismatch(`${entity} is missing`)
      const { updated, deleted } = changes
      let last: View | undefined
      for (const view of updated) {
        if (last && (last.updatedAt > view.updatedAt || (last.updatedAt === view.updatedAt && last.id >= view.id)))
          throw new Mismatch(`${entity} ${view.id} comes after ${last.id}`)
        last = view
        this.#checkView(device, copy, entity, view)
        resent?.delete(this.model.find(entity, view.id)!)
      }
      if (copy.since === 0 && deleted.some((id) => this.model.localIds(device.name, entity, id).length === 0))
        throw new Mismatch(`the first page has deleted rows: ${deleted.join()}`)
      for (const id of deleted) {
        const row = this.model.find(entity, id)
        if (row === undefined || !this.#mayKnowId(device.userId, row))
          throw new Mismatch(`${entity} ${id} of others came as deleted`)
        const isInCopy = copy.orgId === undefined || row.owner === copy.orgId
        // A row that was given to an organization and changed again can go on one page and come back on a later one.
        if (!page.hasMore && !row.isDeleted && isInCopy && this.model.canSee(device.userId, row))
          throw new Mismatch(`${entity} ${id} came as deleted, but is visible`)
        if (updated.some((view) => view.id === id)) throw new Mismatch(`${entity} ${id} was both updated and deleted`)
        resent?.delete(row)
      }
    }
  }

  #mayKnowId = (userId: number, { owner, createdBy }: Row): boolean =>
    owner < 0 ? owner === -userId : createdBy === userId || (this.#everIn.get(userId)?.has(owner) ?? false)

  #checkView(device: Device, copy: Copy, entity: Entity, view: View): void {
    const row = this.model.find(entity, view.id)
    if (row === undefined || row.isDeleted) throw new Mismatch(`the deleted or unknown ${entity} ${view.id} was pulled`)
    if (!this.model.canSee(device.userId, row))
      throw new Mismatch(`${entity} ${view.id} is not visible, but was pulled`)
    if (copy.orgId !== undefined && row.owner !== copy.orgId)
      throw new Mismatch(`${entity} ${view.id} is of another owner`)
    this.checkRow(row, view, 'the pulled row')
    if ((view['orgId'] ?? null) !== (row.owner > 0 ? row.owner : null))
      throw new Mismatch(`wrong orgId in ${show(view)}`)
    if (view.updatedAt < row.lo || view.updatedAt > row.hi)
      throw new Mismatch(`${show(view)} was changed between ${row.lo} and ${row.hi}`)
    this.model.stamped(row, view.updatedAt)
    const localIds = this.model.localIds(device.name, entity, view.id)
    const shown = view['localId'] ?? undefined
    if (shown === undefined ? localIds.length > 0 : !localIds.includes(shown as string))
      throw new Mismatch(`${entity} ${view.id} has the local id ${String(shown)} instead of ${localIds.join(' or ')}`)
  }

  /** Compares the fields that the model follows, and learns those that it does not know. */
  checkRow(row: Row, view: Data, name: string): void {
    if (row.isFuzzy && typeof view['version'] === 'number') {
      row.version = view['version']
      row.isFuzzy = false
    }
    if (view['version'] !== undefined && view['version'] !== row.version)
      throw new Mismatch(`${name} has version ${String(view['version'])}: ${show(view)} instead of ${show(row)}`)
    for (const [field, value] of Object.entries(row.data))
      if (value === undefined) row.data[field] = view[field]
      else if (field in view && !same(view[field], value))
        throw new Mismatch(`${name} has another ${field}: ${show(view)} instead of ${show(row)}`)
  }

  /** The device must have exactly the rows that its user sees, as they are. */
  compare(device: Device, copy: Copy): void {
    const visible = this.model
      .visible(device.userId)
      .filter(({ owner }) => copy.orgId === undefined || owner === copy.orgId)
    for (const entity of copy.entities) {
      const expected = visible.filter((row) => row.entity === entity)
      const rows = copy.rows.get(entity)!
      for (const row of expected) {
        const view = rows.get(row.id)
        if (view === undefined) throw new Mismatch(`${device.name} has missed ${show(row)}`)
        this.checkRow(row, view, `the row of ${device.name}`)
      }
      if (rows.size > expected.length) {
        const ids = new Set(expected.map(({ id }) => id))
        const extra = [...rows.keys()].find((id) => !ids.has(id))!
        throw new Mismatch(`${device.name} keeps ${entity} ${extra}: ${show(this.model.find(entity, extra))}`)
      }
    }
    if (copy.orgId !== undefined) return
    for (const row of this.#resent.get(device) ?? [])
      if (copy.entities.includes(row.entity) && this.model.canSee(device.userId, row))
        throw new Mismatch(`the accepted ${row.entity} ${row.id} did not come again`)
  }

  /** The rows of an owner that the endpoint lists. */
  async list(device: Device, entity: Entity, owner: number): Promise<View[]> {
    const inOrg = owner > 0 ? `&orgId=${owner}` : ''
    if (entity === 'assetCategory') return flat(await this.ok(device, 'GET', `${PATHS[entity]}?${inOrg}`))
    const items: View[] = []
    for (let page = 1; ; page++) {
      const values = entity === 'asset' ? '&include=values' : ''
      const data = await this.ok(device, 'GET', `${PATHS[entity]}?size=100&page=${page}${inOrg}${values}`)
      items.push(...data.items)
      if (data.items.length < 100) return items
    }
  }

  /** The user has accepted the server's row: it comes again. */
  expectAgain(device: Device, row: Row): void {
    const rows = this.#resent.get(device) ?? new Set()
    this.#resent.set(device, rows.add(row))
  }
}

type Node = View & { readonly children: Node[] }
const flat = (nodes: readonly Node[]): View[] => nodes.flatMap((node) => [node, ...flat(node.children)])

function shuffled<T>(values: readonly T[], random: (below: number) => number): readonly T[] {
  const left = [...values]
  return values.map(() => left.splice(random(left.length), 1)[0]!)
}

const short = ({ status, serverId, version, updatedAt, conflictId, code, message }: Result) =>
  [status, serverId, version, updatedAt, conflictId, code, message].filter((part) => part != null).join(' ')

const briefly = ({ changes }: Page) =>
  Object.fromEntries(
    Object.entries(changes)
      .filter(([, { updated, deleted }]) => updated.length + deleted.length > 0)
      .map(([entity, { updated, deleted }]) => [
        entity,
        `${updated.length > 20 ? updated.length : updated.map(({ id, version }) => `${id}v${version}`).join()}${deleted.length > 0 ? ` -${deleted.join()}` : ''}`,
      ]),
  )

/** The rows that the server must have, who may see them, and when they changed. */

import { type Data, type Entity, ROLES, SPECS } from './entities.ts'

export interface Row {
  readonly entity: Entity
  readonly id: number
  /** The id of an organization, or minus the id of a user. */
  owner: number
  version: number
  /** The stamp of the last change is at least `lo` and at most `hi`. Most answers contain it, but not those of deletions. */
  lo: number
  hi: number
  isDeleted: boolean
  /** Deleted without a trash, so that only the version is known. */
  isGone: boolean
  /** Undefined values are not known. */
  data: Data
  readonly createdBy: number
  /** The rules do not say whether the version rose when the row was in the trash. */
  isFuzzy: boolean
}

export class Mismatch extends Error {}

export const same = (a: unknown, b: unknown): boolean => Bun.deepEquals(a, b)
const keyOf = (entity: Entity, id: number): string => `${entity} ${id}`

export class Rows {
  readonly rows = new Map<string, Row>()
  /** Roles, by organization and user. */
  readonly members = new Map<number, Map<number, string>>()
  /** The points of the role CUSTOM, by organization. */
  readonly customPoints = new Map<number, readonly string[]>()
  /** The owners of uploads that no photo has. */
  readonly files = new Map<number, number>()
  /** The largest stamp that an answer has shown. */
  floor = 0
  readonly #open = new Set<Row>()

  find = (entity: Entity, id: number): Row | undefined => this.rows.get(keyOf(entity, id))
  get live(): Row[] {
    return [...this.rows.values()].filter((row) => !row.isDeleted)
  }
  liveOf = (entity: Entity, owner: number): Row[] =>
    this.live.filter((row) => row.entity === entity && row.owner === owner)

  // Permissions

  role = (orgId: number, userId: number): string | undefined => this.members.get(orgId)?.get(userId)

  can(userId: number, owner: number, point: string): boolean {
    if (owner < 0) return owner === -userId
    const role = this.role(owner, userId)
    if (role === undefined) return false
    const points = role === 'CUSTOM' ? this.customPoints.get(owner) : ROLES[role]
    return points === undefined || points.includes(point)
  }

  canSee(userId: number, row: Row): boolean {
    if (!this.can(userId, row.owner, SPECS[row.entity].read)) return false
    if (row.entity !== 'assetCategory' || this.can(userId, row.owner, 'asset_category:manage')) return true
    if (row.data['shared'] === false && row.createdBy !== userId) return false
    const parent = row.data['parentId']
    if (typeof parent !== 'number') return true
    const above = this.find('assetCategory', parent)
    return above === undefined || above.isDeleted || this.canSee(userId, above)
  }

  visible = (userId: number): Row[] => this.live.filter((row) => this.canSee(userId, row))

  // Stamps

  /** An answer showed the stamp of a write that came after everything else. */
  see(stamp: number): void {
    for (const row of this.#open) {
      row.hi = Math.min(row.hi, stamp - 1)
      this.#open.delete(row)
    }
    this.floor = Math.max(this.floor, stamp)
  }

  /** All earlier writes have this stamp or an earlier one. */
  seeTime(time: number): void {
    for (const row of this.#open) row.hi = Math.min(row.hi, time)
    this.#open.clear()
    this.floor = Math.max(this.floor, time)
  }

  stamped(row: Row, stamp: number | undefined): void {
    if (stamp === undefined) {
      row.lo = this.floor + 1
      row.hi = Infinity
      this.#open.add(row)
    } else {
      this.#open.delete(row)
      row.lo = row.hi = stamp
    }
  }

  // Changes

  create(entity: Entity, id: number, owner: number, createdBy: number, data: Data, stamp: number | undefined): Row {
    if (this.find(entity, id)) throw new Mismatch(`the id ${id} of a new ${entity} is not new`)
    const defaults = { ...SPECS[entity].defaults }
    if (entity === 'assetCategory' && owner < 0) defaults['shared'] = false
    const row: Row = {
      entity,
      id,
      owner,
      version: 1,
      lo: 0,
      hi: 0,
      isDeleted: false,
      isGone: false,
      data: { ...defaults, ...data },
      createdBy,
      isFuzzy: false,
    }
    this.rows.set(keyOf(entity, id), row)
    this.stamped(row, stamp)
    if (typeof data['fileId'] === 'number') this.files.delete(data['fileId'])
    return row
  }

  /** Returns whether something changed. */
  change(row: Row, data: Data, stamp?: number): boolean {
    const isNew = Object.entries(data).some(([name, value]) => !same(valueOf(row, name), value))
    if (!isNew && !row.isDeleted) return false
    Object.assign(row.data, data)
    if (row.isDeleted) this.#dropLostReferences(row, data)
    row.version += 1
    row.isDeleted = row.isGone = false
    this.stamped(row, stamp)
    if (row.entity === 'assetCategory') this.#touchBelow(row, stamp)
    return true
  }

  /** The row may have changed now too: its stamp is the one that it had, or this one, or one between them. */
  #mayHaveChanged(row: Row, stamp: number | undefined): void {
    row.hi = Math.max(row.hi, stamp ?? Infinity)
    if (stamp === undefined) this.#open.add(row)
  }

  /** Whether others see a category can change with those above it. Its stamp may then rise, though it has no new version. */
  #touchBelow(row: Row, stamp: number | undefined): void {
    for (const below of this.live) {
      if (below.entity !== 'assetCategory' || below.data['parentId'] !== row.id) continue
      this.#mayHaveChanged(below, stamp)
      this.#touchBelow(below, stamp)
    }
  }

  /** A row that comes back has lost the references to rows that were deleted meanwhile. */
  #dropLostReferences(row: Row, given: Data): void {
    for (const [name, entity] of Object.entries(SPECS[row.entity].references)) {
      const id = row.data[name]
      if (given[name] === undefined && typeof id === 'number' && this.find(entity, id)?.isDeleted !== false)
        row.data[name] = undefined
    }
  }

  delete(row: Row, stamp?: number): void {
    row.version += 1
    row.isDeleted = true
    this.stamped(row, stamp)
    if (!SPECS[row.entity].keepsDeleted) row.isGone = true
    if (row.entity === 'category') this.#clear('qrCode', 'categoryId', row.id, stamp)
    if (row.entity === 'assetCategory') this.#clear('asset', 'categoryId', row.id, stamp)
  }

  /** Deletes a row permanently. One that was in the trash keeps its version. */
  purge(row: Row, stamp?: number): void {
    if (!row.isDeleted) this.delete(row, stamp)
    row.isGone = true
    if (row.entity === 'qrCode') {
      this.#clear('albumPhoto', 'qrCodeId', row.id, stamp)
      this.#clear('scanRecord', 'qrCodeId', row.id, stamp)
    }
  }

  #clear(entity: Entity, field: string, id: number, stamp: number | undefined): void {
    for (const row of this.rows.values()) {
      if (row.entity !== entity || row.isGone) continue
      if (row.data[field] === undefined) {
        row.isFuzzy = true
        this.#mayHaveChanged(row, stamp)
      }
      if (row.data[field] !== id) continue
      if (row.isDeleted) {
        row.data[field] = null
        row.isFuzzy = true
      } else this.change(row, { [field]: null }, stamp)
    }
  }
}

/** Values of fields of metadata are kept under the names `#<id of the field>`. */
export const isValue = (name: string): boolean => name.startsWith('#')
export const valueOf = (row: Row, name: string): unknown => (isValue(name) ? (row.data[name] ?? null) : row.data[name])

export function expanded({ values, ...data }: Data): Data {
  const given = (values ?? []) as readonly { readonly fieldId: number; readonly value: unknown }[]
  return { ...data, ...Object.fromEntries(given.map(({ fieldId, value }) => [`#${fieldId}`, value])) }
}

export const show = (value: unknown): string => JSON.stringify(value)

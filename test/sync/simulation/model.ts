/**
 * The answers to pushes that the rules allow. The model sees each request with its answer, and throws if the rules do not allow the answer.
 */

import { type Data, type Entity, MAX_DEPTH, SPECS } from './entities.ts'
import { expanded, isValue, Mismatch, type Row, Rows, same, show, valueOf } from './rows.ts'

export interface Pushed {
  readonly entity: Entity
  readonly localId: string
  readonly serverId?: number
  readonly baseVersion: number
  readonly updatedAt: number
  readonly deleted?: true
  readonly data?: Data
}

export interface Result {
  readonly entity: Entity
  readonly localId: string
  readonly serverId: number | null
  readonly version: number | null
  readonly updatedAt: number | null
  readonly status: 'APPLIED' | 'CONFLICT' | 'REJECTED'
  readonly conflictId?: number
  readonly dropped?: readonly string[]
  readonly code?: number
  readonly message?: string
}

export interface Conflict {
  readonly id: number
  readonly device: string
  readonly userId: number
  readonly record: Pushed
  readonly row: Row
  readonly winner: 'SERVER' | 'CLIENT'
  readonly serverVersion: number
  /** Of the server's state when the client won; undefined if that was a deletion. */
  readonly serverData: Data | undefined
  acceptServer: boolean | undefined
}

interface Mapping {
  readonly id: number
  isForced: boolean
}

type Outcome =
  | { readonly status: 'REJECTED'; readonly codes: readonly number[] }
  | { readonly status: 'CONFLICT' }
  | { readonly status: 'APPLIED'; readonly effect: 'create' | 'none' | 'same' | 'change' | 'win' }

const localKey = (device: string, { entity, localId }: Pushed): string => `${device} ${entity} ${localId}`
const receiptKey = (device: string, record: Pushed): string =>
  `${localKey(device, record)} ${record.baseVersion} ${record.updatedAt}`

export class Model extends Rows {
  readonly conflicts = new Map<number, Conflict>()
  readonly #mappings = new Map<string, Mapping>()
  readonly #receipts = new Map<string, Result>()
  /** Whether the current batch has records of codes, so that a scan in it may find the old or the new ones. */
  #changesCodes = false

  // Pushes

  mapping = (device: string, entity: Entity, localId: string): Mapping | undefined =>
    this.#mappings.get(`${device} ${entity} ${localId}`)

  localIds(device: string, entity: Entity, id: number): string[] {
    const prefix = `${device} ${entity} `
    return [...this.#mappings]
      .filter(([key, mapping]) => mapping.id === id && key.startsWith(prefix))
      .map(([key]) => key.slice(prefix.length))
  }

  /** Whether the record got its first result already. */
  isRepeat = (device: string, record: Pushed): boolean => this.#receipts.has(receiptKey(device, record))

  /** Checks the results of a batch, in an order in which the rules allow to judge the records. */
  push(device: string, userId: number, records: readonly Pushed[], results: readonly Result[], now: number): void {
    if (results.length !== records.length) throw new Mismatch(`${results.length} results for ${records.length} records`)
    const left = records.map((_, i) => i)
    this.#changesCodes = records.some(({ entity }) => entity === 'qrCode')
    let latest = 0
    while (left.length > 0) {
      const next = left.find((i) => !left.some((other) => this.#waits(device, records, i, other))) ?? left[0]!
      left.splice(left.indexOf(next), 1)
      if (this.#check(device, userId, records[next]!, results[next]!, now))
        latest = Math.max(latest, results[next]!.updatedAt!)
    }
    if (latest > 0) this.see(latest)
    this.#changesCodes = false
  }

  #waits(device: string, records: readonly Pushed[], i: number, other: number): boolean {
    if (i === other) return false
    const [record, before] = [records[i]!, records[other]!]
    const isSame = before.entity === record.entity && before.localId === record.localId
    if (isSame) return other < i
    if (record.deleted && before.deleted && record.entity === before.entity) {
      const [row, child] = [this.#rowOf(device, record), this.#rowOf(device, before)]
      if (row && child && child.data['parentId'] === row.id) return true
    }
    const row = this.#rowOf(device, before)
    const isBack = row?.isDeleted === true && !before.deleted
    return Object.entries(SPECS[record.entity].references).some(([name, entity]) => {
      const id = record.data?.[name]
      if (entity !== before.entity || id === undefined || id === null) return false
      return id === before.localId || (id === row?.id && (other < i || isBack))
    })
  }

  #rowOf(device: string, record: Pushed): Row | undefined {
    const id = record.serverId ?? this.#mappings.get(localKey(device, record))?.id
    return id === undefined ? undefined : this.find(record.entity, id)
  }

  /** Returns whether the record was written now. */
  #check(device: string, userId: number, record: Pushed, result: Result, now: number): boolean {
    if (result.entity !== record.entity || result.localId !== record.localId)
      throw new Mismatch('the results are not in the order of the records')
    const first = this.#receipts.get(receiptKey(device, record))
    if (first) {
      for (const name of ['status', 'serverId', 'version', 'updatedAt', 'conflictId', 'dropped'] as const)
        if (!same(result[name], first[name]))
          throw new Mismatch(`the repeated record ${show(record)} got ${show(result)} instead of ${show(first)}`)
      return false
    }
    const dropped = this.#dropped(device, userId, record, result)
    const outcomes = this.#judge(device, userId, record, dropped, now)
    const row = this.#rowOf(device, record)
    const outcome = outcomes.find((each) => this.#fits(each, row, result))
    if (outcome === undefined)
      throw new Mismatch(
        `${show(record)} got ${show(result)}, the rules allow ${show(outcomes)} for ${row ? show(row) : 'an unknown row'}`,
      )
    const named = outcome.status === 'APPLIED' ? dropped : []
    if (!same((result.dropped ?? []).toSorted(), named.toSorted()))
      throw new Mismatch(`${show(record)} got ${show(result)}, but the rules drop ${show(named)}`)
    this.#apply(device, userId, record, result, outcome, row, dropped)
    return outcome.status === 'APPLIED' && outcome.effect !== 'none' && outcome.effect !== 'same'
  }

  #fits(outcome: Outcome, row: Row | undefined, result: Result): boolean {
    const { status, version, updatedAt, serverId, conflictId, code } = result
    if (outcome.status !== status) return false
    if (outcome.status === 'REJECTED')
      return outcome.codes.includes(code!) && version === null && updatedAt === null && serverId === (row?.id ?? null)
    const isFuzzy = row?.isFuzzy === true
    const isStamp = (stamp: number | null) => stamp !== null && stamp >= row!.lo && stamp <= row!.hi
    if (outcome.status === 'CONFLICT')
      return (
        (isFuzzy || version === row!.version) && serverId === row!.id && conflictId !== undefined && isStamp(updatedAt)
      )
    if ((conflictId !== undefined) !== (outcome.effect === 'win')) return false
    if (outcome.effect === 'create') return version === 1 && serverId !== null && updatedAt! > 0
    if (outcome.effect === 'none') return version === 0 && serverId === null && updatedAt === null
    if (serverId !== row!.id) return false
    if (outcome.effect === 'same') return (isFuzzy || version === row!.version) && isStamp(updatedAt)
    return (isFuzzy || version === row!.version + 1) && updatedAt! > row!.lo
  }

  /** The outcomes that the rules allow: more than one only where the order of two times is not known. `now`: the server's clock was not earlier. */
  #judge(device: string, userId: number, record: Pushed, dropped: readonly string[], now: number): Outcome[] {
    const { entity, baseVersion, data = {} } = record
    const spec = SPECS[entity]
    const refusals = new Set<number>()
    const reject = (): Outcome[] => [{ status: 'REJECTED', codes: [...refusals] }]
    const row = this.#rowOf(device, record)
    const id = record.serverId ?? this.#mappings.get(localKey(device, record))?.id

    const resolved = this.#resolve(device, record, dropped)
    if (resolved === undefined && !record.deleted) refusals.add(400)
    if (badShape(entity, data) && !record.deleted) refusals.add(400)

    if (id === undefined) {
      if (baseVersion !== 0) return [{ status: 'REJECTED', codes: [400] }]
      if (record.deleted) return [{ status: 'APPLIED', effect: 'none' }]
      const owner = typeof data['orgId'] === 'number' ? data['orgId'] : -userId
      if (owner > 0 && !spec.inOrganizations) throw new Error('no record names an organization for such a row')
      if (!this.can(userId, owner, spec.create)) refusals.add(403)
      if (data['isPublic'] === true && !this.can(userId, owner, 'qr_code:publish')) refusals.add(403)
      if (this.#isIncomplete(spec.required, data)) refusals.add(400)
      if (refusals.size > 0) return reject()
      return this.#breaksRule(entity, owner, undefined, resolved!)
        ? [{ status: 'REJECTED', codes: [400] }]
        : [{ status: 'APPLIED', effect: 'create' }]
    }
    // As with the endpoints, a user may change rows that the role does not let them read.
    const mayWrite = row !== undefined && this.can(userId, row.owner, record.deleted ? spec.delete : spec.update)
    if (row === undefined || (!mayWrite && !this.canSee(userId, row)))
      return [{ status: 'REJECTED', codes: [404, ...refusals] }]
    if (!mayWrite) refusals.add(403)
    const isPublished = data['isPublic'] === true && row.data['isPublic'] !== true
    if (isPublished && !this.can(userId, row.owner, 'qr_code:publish')) refusals.add(403)
    // A row that was deleted permanently needs all fields of a new one. The rules do not say which refusal comes first.
    const lacksFields = !record.deleted && row.isGone && this.#isIncomplete(spec.required, data)
    if (refusals.size > 0 && lacksFields) refusals.add(400)
    if (refusals.size > 0) return reject()

    const isForced = this.#mappings.get(localKey(device, record))?.isForced === true && baseVersion === 0
    const isEqual = isForced || baseVersion === row.version
    const isMaybeEqual = isEqual || row.isFuzzy
    const change = this.#changeOf(row, record, resolved ?? {})
    const isUnchanged = record.deleted ? row.isDeleted : !row.isDeleted && change === 'no'
    if (isUnchanged) return [{ status: 'APPLIED', effect: 'same' }]
    const isRefused = record.deleted
      ? this.#hasChildren(row)
      : lacksFields || this.#breaksRule(entity, row.owner, row, resolved!)
    // A row that was deleted permanently is created again.
    const mayRevive = record.deleted || !row.isGone || this.can(userId, row.owner, spec.create)
    const codes = [...(isRefused ? [400] : []), ...(mayRevive ? [] : [403, 404])]
    const applied = (effect: 'change' | 'win'): Outcome[] =>
      codes.length > 0 ? [{ status: 'REJECTED', codes }] : [{ status: 'APPLIED', effect }]
    const outcomes: Outcome[] = []
    if (change === 'maybe') outcomes.push({ status: 'APPLIED', effect: 'same' })
    if (isMaybeEqual) outcomes.push(...applied('change'))
    if (!isEqual || row.isFuzzy) {
      const isLater = record.updatedAt > row.hi && now > row.hi
      const isEarlier = record.updatedAt <= row.lo
      if (!isEarlier) outcomes.push(...applied('win'))
      if (!isLater) outcomes.push({ status: 'CONFLICT' })
    }
    return outcomes
  }

  /** The fields that the record changes, with ids instead of local ids. Undefined if a reference is unknown. */
  #resolve(device: string, { entity, data = {} }: Pushed, dropped: readonly string[]): Data | undefined {
    const { references } = SPECS[entity]
    const resolved: Data = {}
    for (const [name, value] of Object.entries(data)) {
      const target = references[name]
      if (target === undefined || typeof value !== 'string') resolved[name] = value
      else {
        const mapping = this.mapping(device, target, value)
        if (mapping === undefined) return undefined
        resolved[name] = mapping.id
      }
      if (dropped.includes(name)) resolved[name] = null
    }
    return resolved
  }

  /** Fields with references to deleted rows of the owner of the pushed row. Values that the row has already are not checked. */
  #dropped(device: string, userId: number, record: Pushed, result: Result): string[] {
    if (record.deleted) return []
    const row = this.#rowOf(device, record)
    const { data = {} } = record
    const owner = row?.owner ?? (typeof data['orgId'] === 'number' ? data['orgId'] : -userId)
    const resolved = this.#resolve(device, record, []) ?? {}
    return Object.entries(SPECS[record.entity].references).flatMap(([name, entity]) => {
      const id = resolved[name]
      const other = typeof id === 'number' ? this.find(entity, id) : undefined
      if (other?.isDeleted !== true || other.owner !== owner || this.#isKept(row, name, id)) return []
      // Categories that others keep to themselves are unknown to the user also after they were deleted.
      const isHidden = entity === 'assetCategory' && other.data['shared'] === false && other.createdBy !== userId
      if (isHidden && !other.isGone && owner > 0 && !this.can(userId, owner, 'asset_category:manage')) return []
      const isUnclear = row !== undefined && !row.isGone && row.data[name] === undefined
      return isUnclear && result.dropped?.includes(name) !== true ? [] : [name]
    })
  }

  /** A row that comes back is checked like a new one. */
  #isKept = (row: Row | undefined, name: string, id: unknown): boolean =>
    row !== undefined && !row.isDeleted && row.data[name] === id

  #fields(entity: Entity, data: Data, isNew: boolean): Data {
    const spec = SPECS[entity]
    const names = isNew ? Object.keys(spec.defaults) : spec.writable
    return Object.fromEntries(Object.entries(expanded(data)).filter(([name]) => names.includes(name) || isValue(name)))
  }

  #changeOf(row: Row, { deleted }: Pushed, data: Data): 'no' | 'yes' | 'maybe' {
    if (deleted || row.isDeleted) return 'yes'
    let answer: 'no' | 'maybe' = 'no'
    for (const [name, value] of Object.entries(this.#fields(row.entity, data, false))) {
      const before = valueOf(row, name)
      if (same(before, value)) continue
      if (before !== undefined) return 'yes'
      answer = 'maybe'
    }
    return answer
  }

  #isIncomplete = (required: readonly string[], data: Data): boolean =>
    required.some((name) => data[name] === undefined || data[name] === '')

  #hasChildren = (row: Row): boolean =>
    (row.entity === 'category' || row.entity === 'assetCategory') &&
    this.live.some(({ entity, data }) => entity === row.entity && data['parentId'] === row.id)

  /** Whether a rule about other rows refuses the change. */
  #breaksRule(entity: Entity, owner: number, row: Row | undefined, data: Data): boolean {
    const { references } = SPECS[entity]
    for (const [name, target] of Object.entries(references)) {
      const id = data[name]
      if (typeof id !== 'number' || this.#isKept(row, name, id)) continue
      const other = this.find(target, id)
      if (other === undefined || other.isDeleted || other.owner !== owner) return true
    }
    if (entity === 'category' || entity === 'assetCategory') {
      const parent = data['parentId'] === undefined ? row?.data['parentId'] : data['parentId']
      if (typeof parent === 'number' && !this.#fitsBelow(entity, row, parent)) return true
    }
    if (entity === 'assetCategory' && data['shared'] === true && owner < 0) return true
    // A deleted asset frees its number, which another one may have by now.
    const assetNo = data['assetNo'] ?? (row?.isDeleted ? row.data['assetNo'] : undefined)
    if (typeof assetNo === 'string') {
      const number = assetNo.toLowerCase()
      const isTaken = (other: Row) => other !== row && String(other.data['assetNo']).toLowerCase() === number
      if (this.liveOf('asset', owner).some(isTaken)) return true
    }
    if (entity === 'albumPhoto' && (row === undefined || row.isGone))
      return this.files.get(data['fileId'] as number) !== owner
    return false
  }

  #fitsBelow(entity: Entity, row: Row | undefined, parentId: number): boolean {
    let above = 0
    for (let at: unknown = parentId; typeof at === 'number'; at = this.find(entity, at)?.data['parentId']) {
      if (at === row?.id) return false
      above += 1
    }
    const height = (id: number): number =>
      1 +
      Math.max(
        0,
        ...this.live
          .filter((each) => each.entity === entity && each.data['parentId'] === id)
          .map((each) => height(each.id)),
      )
    return above + (row === undefined ? 1 : height(row.id)) <= MAX_DEPTH
  }

  #apply(
    device: string,
    userId: number,
    record: Pushed,
    result: Result,
    outcome: Outcome,
    row: Row | undefined,
    dropped: readonly string[],
  ): void {
    if (outcome.status === 'REJECTED' || (outcome.status === 'APPLIED' && outcome.effect === 'none')) return
    const { entity, data = {} } = record
    const key = localKey(device, record)
    const before = row && { version: row.version, data: { ...row.data }, isDeleted: row.isDeleted }
    if (row?.isFuzzy) {
      const isChange = outcome.status === 'APPLIED' && outcome.effect !== 'same'
      row.version = result.version! - (isChange ? 1 : 0)
      row.isFuzzy = false
    }
    if (outcome.status === 'APPLIED' && outcome.effect === 'create') {
      const owner = typeof data['orgId'] === 'number' ? data['orgId'] : -userId
      const fields = this.#fields(entity, this.#resolve(device, record, dropped)!, true)
      row = this.create(entity, result.serverId!, owner, userId, fields, result.updatedAt!)
      this.settle(row)
    } else if (outcome.status === 'APPLIED' && outcome.effect !== 'same') {
      if (record.deleted) this.delete(row!, result.updatedAt!)
      else if (row!.isGone)
        this.#revive(row!, this.#fields(entity, this.#resolve(device, record, dropped)!, true), result.updatedAt!)
      else this.change(row!, this.#fields(entity, this.#resolve(device, record, dropped)!, false), result.updatedAt!)
    } else this.stamped(row!, result.updatedAt!)
    // The next push without a version applies, also if it changes nothing, and no other one after it.
    const mapping = this.#mappings.get(key)
    if (mapping && record.baseVersion === 0) mapping.isForced = false
    if (outcome.status === 'CONFLICT' || (outcome.status === 'APPLIED' && outcome.effect === 'win')) {
      const winner = outcome.status === 'CONFLICT' ? 'SERVER' : 'CLIENT'
      this.conflicts.set(result.conflictId!, {
        id: result.conflictId!,
        device,
        userId,
        record,
        row: row!,
        winner,
        serverVersion: before!.version,
        serverData: before!.isDeleted ? undefined : before!.data,
        acceptServer: undefined,
      })
    }
    if (!this.#mappings.has(key)) this.#mappings.set(key, { id: row!.id, isForced: false })
    this.#receipts.set(receiptKey(device, record), result)
  }

  /** A permanently deleted row comes back under its id, as a new row. */
  #revive(row: Row, data: Data, stamp: number): void {
    row.isDeleted = row.isGone = false
    row.version += 1
    row.data = { ...SPECS[row.entity].defaults, ...data }
    this.settle(row)
    this.stamped(row, stamp)
  }

  /** A scan of the content of a code that the user sees refers to that code and has its name as its title. The user's own codes come first. */
  settle(row: Row): void {
    if (row.entity !== 'scanRecord') return
    if (this.#changesCodes) {
      row.data['qrCodeId'] = undefined
      row.data['title'] ??= undefined
      return
    }
    const codes = this.visible(row.createdBy).filter(
      ({ entity, data }) => entity === 'qrCode' && data['content'] === row.data['content'],
    )
    const [code] = codes.toSorted((a, b) => Math.max(a.owner, 0) - Math.max(b.owner, 0) || a.id - b.id)
    row.data['qrCodeId'] = code?.id ?? null
    row.data['title'] ??= code?.data['name'] ?? null
  }

  // Conflicts

  /** Checks the answer of `resolve`, and makes the same changes in the model. */
  resolve(conflict: Conflict, acceptServer: boolean, version: number): void {
    const { device, record, row, winner, serverData } = conflict
    const key = localKey(device, record)
    conflict.acceptServer = acceptServer
    if (!acceptServer) {
      if (version !== 0) throw new Mismatch(`resolve without the server's version answered version ${version}`)
      this.#mappings.get(key)!.isForced = true
      this.#receipts.delete(receiptKey(device, record))
      return
    }
    // The last answer counts, if the device has several conflicts about the row.
    const mapping = this.#mappings.get(key)
    if (mapping) mapping.isForced = false
    if (winner === 'CLIENT') {
      if (serverData === undefined) {
        if (!row.isDeleted) this.delete(row)
      } else {
        const fields = this.#fields(row.entity, serverData, false)
        for (const [name, entity] of Object.entries(SPECS[row.entity].references))
          if (typeof fields[name] === 'number' && this.find(entity, fields[name])?.isDeleted !== false)
            fields[name] = null
        this.change(row, fields)
      }
    }
    if (version !== row.version)
      throw new Mismatch(`resolve answered version ${version} instead of ${row.version} of ${show(row)}`)
  }

  /** Whether the rules say what accepting the server's version does. */
  canAccept({ row, winner, userId, serverData }: Conflict): boolean {
    if (row.isFuzzy) return false
    if (winner === 'SERVER') return true
    // The rules do not say whether values are cleared that the kept state does not have.
    const isAdded = (name: string) => isValue(name) && row.data[name] !== null && (serverData?.[name] ?? null) === null
    if (Object.keys(row.data).some(isAdded)) return false
    // Without a state of the server, the row is deleted again.
    const { update, delete: remove } = SPECS[row.entity]
    const point = serverData === undefined ? remove : update
    return !row.isDeleted && this.canSee(userId, row) && this.can(userId, row.owner, point)
  }
}

function badShape(entity: Entity, data: Data): boolean {
  const color = data['color']
  if (typeof color === 'string' && color !== '' && !/^#[0-9a-f]{6}$/.test(color)) return true
  return entity === 'asset' && data['assetNo'] === ''
}

/** A minimal client, written from the rules: rows from the server, edits that wait, and a batch whose answer may have been lost. */

import { type Data, ENTITIES, type Entity } from './entities.ts'
import type { Pushed, Result } from './model.ts'

export type View = Data & { readonly id: number; readonly version: number; readonly updatedAt: number }

export interface Page {
  readonly serverTime: number
  readonly hasMore: boolean
  readonly resync: boolean
  readonly changes: Readonly<
    Partial<Record<Entity, { readonly updated: readonly View[]; readonly deleted: readonly number[] }>>
  >
}

/** Rows from the server, and the time up to which it has told all changes. */
export class Copy {
  since = 0
  /** Whether the last page was the last one. */
  isComplete = false
  readonly rows = new Map<Entity, Map<number, View>>(ENTITIES.map((entity) => [entity, new Map()]))

  constructor(
    readonly entities: readonly Entity[],
    readonly orgId: number | undefined = undefined,
  ) {}

  apply({ serverTime, hasMore, changes }: Page): void {
    for (const entity of this.entities) {
      const rows = this.rows.get(entity)!
      for (const id of changes[entity]!.deleted) rows.delete(id)
      for (const view of changes[entity]!.updated) rows.set(view.id, view)
    }
    this.since = serverTime
    this.isComplete = !hasMore
  }

  drop(): void {
    for (const rows of this.rows.values()) rows.clear()
    this.since = 0
    this.isComplete = false
  }
}

/** A row on the device: one of the server, or one that the server does not have yet. */
export interface Target {
  readonly entity: Entity
  readonly localId: string
  readonly serverId: number | undefined
}

interface Edit {
  readonly entity: Entity
  readonly localId: string
  serverId: number | undefined
  baseVersion: number
  updatedAt: number
  deleted: boolean
  data: Data
}

export class Device {
  readonly copies: readonly Copy[]
  /** Copies of single organizations, which have a cursor of their own. */
  readonly organizations = new Map<number, Copy>()
  readonly edits: Edit[] = []
  /** Sent, but not answered. It is sent again unchanged. */
  sent: readonly Pushed[] | undefined
  readonly #localIds = new Map<string, string>()
  /** The versions of rows after this device's own pushes. */
  readonly #acknowledged = new Map<string, number>()
  #created = 0

  constructor(
    readonly name: string,
    readonly userId: number,
    readonly token: string,
    readonly deviceId: string,
    /** Of the device's clock, in milliseconds. */
    readonly clockError: number,
    split: readonly (readonly Entity[])[],
    /**
     * Whether it follows docs/sync.md to the letter: it pulls, pushes and pulls again, and shows pushed rows as soon as the answer arrives. Other
     * devices pull and push at any time, and show only rows that they have pulled.
     */
    readonly isLiteral: boolean,
  ) {
    this.copies = split.map((entities) => new Copy(entities))
  }

  row = (entity: Entity, id: number): View | undefined =>
    this.copies
      .find((copy) => copy.entities.includes(entity))
      ?.rows.get(entity)!
      .get(id)

  /** The rows that a user of this device can choose from. */
  targets(entity: Entity): Target[] {
    const known = [
      ...(this.copies
        .find((copy) => copy.entities.includes(entity))
        ?.rows.get(entity)!
        .values() ?? []),
    ]
    const fromServer = known.map(({ id }) => ({ entity, localId: this.localId(entity, id), serverId: id }))
    const ids = new Set(fromServer.map(({ localId }) => localId))
    const waiting = this.edits.filter((edit) => edit.entity === entity && !ids.has(edit.localId) && !edit.deleted)
    return [...fromServer, ...waiting.map(({ localId, serverId }) => ({ entity, localId, serverId }))]
  }

  localId(entity: Entity, id: number): string {
    const key = `${entity} ${id}`
    const shown = this.row(entity, id)?.['localId']
    if (typeof shown === 'string') this.#localIds.set(key, shown)
    return this.#localIds.get(key) ?? `of ${id}`
  }

  newTarget = (entity: Entity): Target => ({
    entity,
    localId: `${this.name}-${entity}-${++this.#created}`,
    serverId: undefined,
  })

  /** The user of the device changes or deletes a row. Edits that wait for the next push become one. */
  edit({ entity, localId, serverId }: Target, data: Data | 'delete', updatedAt: number): void {
    const waiting = this.edits.find((edit) => edit.entity === entity && edit.localId === localId)
    const isDeleted = data === 'delete'
    if (waiting) {
      waiting.data = isDeleted ? {} : { ...waiting.data, ...data }
      waiting.deleted = isDeleted
      waiting.updatedAt = Math.max(waiting.updatedAt + 1, updatedAt)
      return
    }
    const baseVersion = serverId === undefined ? 0 : this.#versionOf(entity, serverId)
    this.edits.push({
      entity,
      localId,
      serverId,
      baseVersion,
      updatedAt,
      deleted: isDeleted,
      data: isDeleted ? {} : data,
    })
  }

  #versionOf = (entity: Entity, id: number): number =>
    Math.max(this.row(entity, id)?.version ?? 0, this.#acknowledged.get(`${entity} ${id}`) ?? 0)

  /** An edit without a version: after `resolve` without the server's version it applies whatever the times. */
  force(
    { entity, localId }: Pick<Pushed, 'entity' | 'localId'>,
    serverId: number,
    data: Data | undefined,
    updatedAt: number,
  ): void {
    this.#forget(entity, localId)
    const deleted = data === undefined
    this.edits.push({ entity, localId, serverId, baseVersion: 0, updatedAt, deleted, data: data ?? {} })
  }

  #forget(entity: Entity, localId: string): void {
    const at = this.edits.findIndex((edit) => edit.entity === entity && edit.localId === localId)
    if (at >= 0) this.edits.splice(at, 1)
  }

  /** Takes edits into a batch. `hidesServerIds`: rows that have a local id are named by it alone. */
  take(edits: readonly Edit[], hidesServerIds: boolean): readonly Pushed[] {
    this.sent = edits.map(({ entity, localId, serverId, baseVersion, updatedAt, deleted, data }) => {
      const isOwn = !localId.startsWith('of ')
      const names = serverId !== undefined && !(hidesServerIds && isOwn) ? { serverId } : {}
      const record = { entity, localId, ...names, baseVersion, updatedAt }
      return deleted ? { ...record, deleted: true as const } : { ...record, data }
    })
    for (const edit of edits) this.edits.splice(this.edits.indexOf(edit), 1)
    return this.sent
  }

  /** The answer to the batch has arrived. */
  answered(results: readonly Result[]): void {
    const records = this.sent!
    this.sent = undefined
    if (this.isLiteral) for (const [i, record] of records.entries()) this.#show(record, results[i]!)
    for (const { entity, localId, serverId, version, status } of results) {
      if (serverId !== null) this.#localIds.set(`${entity} ${serverId}`, localId)
      const waiting = this.edits.find((edit) => edit.entity === entity && edit.localId === localId)
      if (waiting && serverId !== null) waiting.serverId = serverId
      if (status !== 'APPLIED' || serverId === null) continue
      this.#acknowledged.set(`${entity} ${serverId}`, version!)
      if (waiting) waiting.baseVersion = version!
    }
  }

  /** Makes an applied record the row, unless a later state of it was pulled. */
  #show({ entity, localId, deleted, data }: Pushed, { status, serverId, version, updatedAt }: Result): void {
    if (status !== 'APPLIED' || serverId === null) return
    const rows = this.copies.find((copy) => copy.entities.includes(entity))!.rows.get(entity)!
    const row = rows.get(serverId)
    if (row && row.version >= version!) return
    if (deleted) rows.delete(serverId)
    else rows.set(serverId, { ...row, ...data, localId, id: serverId, version: version!, updatedAt: updatedAt! })
  }

  /** The app was installed again: everything is lost except what the server has. */
  reinstall(): void {
    for (const copy of [...this.copies, ...this.organizations.values()]) copy.drop()
    this.edits.length = 0
    this.sent = undefined
    this.#localIds.clear()
    this.#acknowledged.clear()
  }
}

export type { Edit }

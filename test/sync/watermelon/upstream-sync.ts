/**
 * Stands in for `sync/index` in WatermelonDB's own tests (upstream.test.ts). Their `pullChanges` returns changes that the test has written down.
 * Here, these changes are first made on a Tessera server, and WatermelonDB gets what the shim then pulls. Rows that it pushes go to the server
 * through the shim, and the server's rows are compared with them afterwards.
 *
 * Their tables have no place for the shim's columns and no fields of Tessera. A row is kept on the server as JSON in a text field, and
 * `facts` has the columns.
 */

import { afterAll } from 'bun:test'
import { isDeepStrictEqual } from 'node:util'

import { appSchema, type Database, type DirtyRaw, Q, tableSchema } from '@nozbe/watermelondb'
import * as watermelon from '@nozbe/watermelondb/sync'

import { type TableMapping, tesseraSync } from '../../../examples/sync-watermelondb/index.ts'
import { ok, type Person, startServer } from '../../harness/index.ts'

export const { hasUnsyncedChanges } = watermelon

interface Place extends TableMapping {
  /** The field with the JSON. */
  field: string
  required?: Record<string, string>
}

const PLACES: Readonly<Record<string, Place>> = {
  mock_projects: { entity: 'category', field: 'name' },
  mock_project_sections: { entity: 'assetCategory', field: 'name' },
  mock_tasks: { entity: 'qrCode', field: 'content', required: { name: 'A task' } },
  mock_comments: { entity: 'asset', field: 'remark', required: { name: 'A comment' } },
}
const TABLES = Object.keys(PLACES)
const SHIM_SCHEMA = appSchema({
  version: 1,
  tables: Object.entries(PLACES).map(([name, { field, required = {} }]) =>
    tableSchema({
      name,
      columns: [
        ...[field, ...Object.keys(required)].map((column) => ({ name: column, type: 'string' as const })),
        ...['updated_at', 'server_id', 'server_version'].map((column) => ({ name: column, type: 'number' as const })),
      ],
    }),
  ),
})

type Changes = Record<string, { created?: DirtyRaw[]; updated?: DirtyRaw[]; deleted?: string[] }>
interface Version {
  id: number
  version: number
}

const server = await startServer()
afterAll(() => server.stop())
let exchanged = 0
afterAll(() => console.log(`${exchanged} rows were exchanged with the server`))

const worlds = new WeakMap<Database, Promise<World>>()

/** `synchronize()` with the server between the functions of the test and WatermelonDB. */
export async function synchronize(args: watermelon.SyncArgs): Promise<void> {
  const { database, pullChanges, pushChanges, unsafeTurbo } = args
  // Turbo hands unparsed JSON to native code, and the tests of wrong arguments have nothing to pull.
  if (unsafeTurbo || !pullChanges) return watermelon.synchronize(args)
  const world = worlds.get(database) ?? World.of(database)
  worlds.set(database, world)

  return watermelon.synchronize({
    ...args,
    sendCreatedAsUpdated: true,
    pullChanges: async (asked) => {
      const scripted = Promise.resolve(pullChanges(asked))
      // It may fail while the world is still being made.
      scripted.catch(() => {})
      const apply = reserveApply(database)
      try {
        return await (await world).pull(asked, await scripted)
      } catch (error) {
        apply.cancel()
        throw error
      }
    },
    ...(pushChanges && {
      pushChanges: async (pushed: watermelon.SyncPushArgs) => {
        const answer = await pushChanges(pushed)
        await (await world).push(pushed, answer?.experimentalRejectedIds ?? {})
        return answer
      },
    }),
  })
}

/**
 * One test depends on the order of writes in the database when `pullChanges` answers without waiting for a network. This reserves the place in
 * the queue that the write after the pull has in that case.
 */
function reserveApply(database: Database): { cancel: () => void } {
  // Of concurrent calls, only the first may write.
  if (Object.hasOwn(database, 'write')) return { cancel: () => {} }
  const turn = Promise.withResolvers<() => Promise<unknown>>()
  const done = Promise.withResolvers<unknown>()
  const write = database.write.bind(database)
  const slot = write(async () => (await turn.promise)(), 'reserved')
  slot.then(done.resolve, done.reject)
  done.promise.catch(() => {})
  const restore = () => Reflect.deleteProperty(database, 'write')
  database.write = ((work: () => Promise<unknown>, description?: string) => {
    if (description !== 'sync-synchronize-apply') return write(work as never, description)
    restore()
    turn.resolve(work)
    return done.promise
  }) as typeof database.write
  return {
    cancel: () => {
      restore()
      turn.resolve(async () => {})
    },
  }
}

class World {
  /** The columns `server_id` and `server_version` that the tables lack, by table and id. */
  private readonly facts = byTable(() => new Map<string, Version>())
  /** Rows on the server, by the ids of the test. */
  private readonly rows = byTable(() => new Map<string, Version>())
  /** The server's stamps for the times that the test has written down. */
  private readonly stamps = new Map<number, number>()
  /** The stamp before the first pull. */
  private start = 0
  private readonly shim: ReturnType<typeof tesseraSync>

  private constructor(
    private readonly database: Database,
    private readonly user: Person,
  ) {
    this.shim = tesseraSync({
      url: server.url,
      headers: () => ({ authorization: `Bearer ${user.token}`, 'x-device-id': user.deviceId }),
      database: this.withColumns(),
      tables: PLACES,
    })
  }

  /** The tests insert rows that seem to have been pulled. They are put on the server, which must know them. */
  static async of(database: Database): Promise<World> {
    const { adapter } = database
    const description = Q.buildQueryDescription([])
    // Read first: a test resets the database while the server answers, and then nothing can be read.
    const read = (table: string) => adapter.unsafeQueryRaw({ table, description, associations: [] })
    const tables = await Promise.all(TABLES.map(async (table) => [table, await read(table)] as const))
    const world = new World(database, await server.person())
    for (const [table, raws] of tables) {
      const known = raws.filter(({ _status }) => _status !== 'created').map((raw) => unchanged(database, table, raw))
      await world.change(table, known)
      for (const { id } of known) world.facts[table]!.set(id, world.rows[table]!.get(id)!)
    }
    world.start = await world.readServer()
    return world
  }

  async pull(asked: watermelon.SyncPullArgs, scripted: watermelon.SyncPullResult): Promise<watermelon.SyncPullResult> {
    const { changes, timestamp, experimentalStrategy } = scripted as {
      changes: Changes
      timestamp: number
      experimentalStrategy?: unknown
    }
    const isReplacement = experimentalStrategy === 'replacement'
    for (const table of TABLES) {
      const { created = [], updated = [], deleted = [] } = changes[table] ?? {}
      const kept = new Set([...created, ...updated].map(({ id }) => id))
      const lost = isReplacement ? [...this.rows[table]!.keys()].filter((id) => !kept.has(id)) : deleted
      await this.change(table, [...created, ...updated])
      await this.change(
        table,
        lost.filter((id) => !this.rows[table]!.has(id)).map((id) => ({ id })),
      )
      await this.delete(table, lost)
    }

    const since = this.stamps.get(asked.lastPulledAt ?? 0) ?? this.start
    const pulled = await this.shim.pullChanges({
      ...asked,
      lastPulledAt: since,
      ...(isReplacement && { migration: { from: 1, tables: [], columns: [] } }),
    })
    this.stamps.set(timestamp, pulled.timestamp)
    const decoded: Changes = {}
    for (const table of TABLES) {
      const updated = pulled.changes[table]!.updated.map((raw) => {
        this.facts[table]!.set(raw['id'], { id: raw['server_id'], version: raw['server_version'] })
        return { id: raw['id'], ...JSON.parse(raw[PLACES[table]!.field]) }
      })
      decoded[table] = { created: [], updated, deleted: pulled.changes[table]!.deleted }
      for (const raw of [...(changes[table]?.created ?? []), ...(changes[table]?.updated ?? [])])
        if (!updated.some((other) => isDeepStrictEqual(other, { ...raw })))
          throw new Error(`the pull lacks ${table} ${JSON.stringify(raw)}: ${JSON.stringify(updated)}`)
      for (const id of changes[table]?.deleted ?? [])
        if (this.facts[table]!.has(id) && !decoded[table].deleted!.includes(id))
          throw new Error(`the pull lacks the deletion of ${table} ${id}`)
      exchanged += updated.length + decoded[table].deleted!.length
    }
    const strategy = isReplacement ? pulled.experimentalStrategy : (experimentalStrategy ?? pulled.experimentalStrategy)
    return { ...scripted, changes: decoded, ...(strategy !== undefined && { experimentalStrategy: strategy }) } as never
  }

  /** Rows that the test rejects are not sent. */
  async push(pushed: watermelon.SyncPushArgs, rejected: watermelon.SyncRejectedIds): Promise<void> {
    const isSent = (table: string, id: string) => !(rejected as Record<string, string[]>)[table]?.includes(id)
    const local = pushed.changes as Changes
    const changes: Record<string, { created: DirtyRaw[]; updated: DirtyRaw[]; deleted: string[] }> = {}
    for (const table of TABLES) {
      const { created = [], updated = [], deleted = [] } = local[table] ?? {}
      const encode = (raw: DirtyRaw) => this.columnsOf(table, raw)
      changes[table] = {
        created: created.filter(({ id }) => isSent(table, id)).map(encode),
        updated: updated.filter(({ id }) => isSent(table, id)).map(encode),
        deleted: deleted.filter((id) => isSent(table, id)),
      }
    }
    const { experimentalRejectedIds } = await this.shim.pushChanges({ ...pushed, changes } as never)
    if (Object.values(experimentalRejectedIds).some((ids) => ids.length > 0))
      throw new Error(`the server rejected ${JSON.stringify(experimentalRejectedIds)}`)

    const shown = byTable(() => new Map<string, unknown>())
    await this.readServer((table, id, content) => shown[table]!.set(id, content))
    for (const table of TABLES) {
      for (const raw of [...(local[table]?.created ?? []), ...(local[table]?.updated ?? [])])
        if (isSent(table, raw['id']) && !isDeepStrictEqual(shown[table]!.get(raw['id']), contentOf(raw)))
          throw new Error(`the server shows ${JSON.stringify(shown[table]!.get(raw['id']))} for ${JSON.stringify(raw)}`)
      for (const id of changes[table]!.deleted)
        if (shown[table]!.has(id)) throw new Error(`the server still has ${table} ${id}`)
      exchanged += changes[table]!.created.length + changes[table]!.updated.length + changes[table]!.deleted.length
    }
  }

  /** The database as the shim expects it: with its columns, which `facts` has. */
  private withColumns(): Database {
    const { database } = this
    const unsafeQueryRaw = async ({ table, description }: { table: string; description: { where: unknown[] } }) => {
      const { left, comparison } = description.where[0] as {
        left: string
        comparison: { right: { values: unknown[] } }
      }
      const asked = comparison.right.values
      if (left === 'id') return asked.map((id) => this.columnsOf(table, { id, _status: 'deleted', _changed: '' }))
      return [...this.facts[table]!]
        .filter(([, fact]) => asked.includes(fact.id))
        .map(([id, fact]) => ({ id, server_id: fact.id }))
    }
    // Asked for each time: while the database is being reset, it has another one, of which every function fails.
    const adapter = new Proxy({} as typeof database.adapter, {
      get: (_, key) => (key === 'unsafeQueryRaw' ? unsafeQueryRaw : bound(database.adapter, key)),
    })
    return new Proxy(database, {
      get: (target, key) => {
        if (key === 'schema') return SHIM_SCHEMA
        if (key === 'adapter') return adapter
        // The write after the pull has its place in the queue already, before this read.
        if (key === 'read') return (work: () => Promise<unknown>) => work()
        return bound(target, key)
      },
    })
  }

  private columnsOf(table: string, raw: DirtyRaw): DirtyRaw {
    const { field, required } = PLACES[table]!
    const fact = this.facts[table]!.get(raw['id'])
    return {
      id: raw['id'],
      _status: raw['_status'],
      _changed: raw['_changed'] && field,
      ...required,
      [field]: JSON.stringify(contentOf(raw)),
      updated_at: Date.now(),
      server_id: fact?.id ?? null,
      server_version: fact?.version ?? 0,
    }
  }

  /** Creates or changes rows on the server, one after the other unless they are many. */
  private async change(table: string, raws: readonly DirtyRaw[]): Promise<void> {
    const { field, required } = PLACES[table]!
    await this.send(
      table,
      raws.map((raw) => ({ id: raw['id'], data: { ...required, [field]: JSON.stringify(contentOf(raw)) } })),
    )
  }

  private async delete(table: string, ids: readonly string[]): Promise<void> {
    await this.send(
      table,
      ids.map((id) => ({ id, deleted: true })),
    )
    for (const id of ids) this.rows[table]!.delete(id)
  }

  private async send(table: string, records: { id: string; data?: unknown; deleted?: boolean }[]): Promise<void> {
    const size = records.length < 20 ? 1 : 1000
    for (let i = 0; i < records.length; i += size) {
      const part = records.slice(i, i + size).map(({ id, ...rest }) => {
        const row = this.rows[table]!.get(id)
        const known = row && { serverId: row.id }
        const entity = PLACES[table]!.entity
        return { entity, localId: id, ...known, baseVersion: row?.version ?? 0, updatedAt: Date.now(), ...rest }
      })
      const { data } = ok(await this.user.post('/api/sync/push', { records: part }))
      for (const result of data.results) {
        if (result.status !== 'APPLIED') throw new Error(`the server refused ${JSON.stringify(result)}`)
        this.rows[table]!.set(result.localId, { id: result.serverId, version: result.version })
      }
    }
  }

  /** Reads the versions of all rows, and returns the stamp. */
  private async readServer(see?: (table: string, id: string, content: unknown) => void): Promise<number> {
    let since = 0
    for (let hasMore = true; hasMore;) {
      const { data } = ok(await this.user.get('/api/sync/pull', { since, limit: 2000 }))
      since = data.serverTime
      hasMore = data.hasMore
      for (const [table, { entity, field }] of Object.entries(PLACES))
        for (const row of data.changes[entity].updated) {
          this.rows[table]!.set(row.localId, { id: row.id, version: row.version })
          see?.(table, row.localId, JSON.parse(row[field]))
        }
    }
    return since
  }
}

function bound(target: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(target, key, target)
  return typeof value === 'function' ? value.bind(target) : value
}

function byTable<T>(make: () => T): Record<string, T> {
  return Object.fromEntries(TABLES.map((table) => [table, make()]))
}

const NO_CONTENT = new Set(['id', '_status', '_changed', '$loki'])

function contentOf(raw: DirtyRaw): DirtyRaw {
  return Object.fromEntries(Object.entries(raw).filter(([column]) => !NO_CONTENT.has(column)))
}

/** A row as it was before its local changes, whose columns get the values of an empty row. */
function unchanged(database: Database, table: string, raw: DirtyRaw): DirtyRaw {
  const columns = database.schema.tables[table as never] as { columnArray: { name: string; type: string }[] }
  const changed: string[] = raw['_changed'].split(',')
  const empty = columns.columnArray.filter(({ name }) => changed.includes(name)).map(({ name }) => [name, null])
  return { ...raw, ...Object.fromEntries(empty) }
}

/** Devices with a WatermelonDB database that synchronize with a server under test. */

import { appSchema, Database, type DirtyRaw, Model, tableSchema } from '@nozbe/watermelondb'
import LokiJSAdapter from '@nozbe/watermelondb/adapters/lokijs'
import { type SyncArgs, synchronize, type SyncLog } from '@nozbe/watermelondb/sync'
import logger from '@nozbe/watermelondb/utils/common/logger'

import { type PushResult, tesseraSync } from '../../../examples/sync-watermelondb/index.ts'
import { schema, tables } from '../../../examples/sync-watermelondb/tables.ts'
import { ok, type Person, type TestServer } from '../../harness/index.ts'
import { person } from '../../harness/people.ts'

logger.silence()

/** A table of the app alone, which is not synchronized. */
const drafts = tableSchema({ name: 'drafts', columns: [{ name: 'text', type: 'string' }] })
const SCHEMA = appSchema({ version: 1, tables: [...Object.values(schema.tables), drafts] })

class Draft extends Model {
  static override readonly table = 'drafts'
}

const MODELS = Object.keys(tables).map(
  (name) =>
    class extends Model {
      static override readonly table = name
      /** WatermelonDB sets `updated_at` at each change if a model has this field. */
      get updatedAt() {
        return this._getRaw('updated_at')
      }
    },
)

type Raw = DirtyRaw

export class Device {
  readonly reported: { table: string; result: PushResult }[] = []
  readonly database: Database
  readonly shim: ReturnType<typeof tesseraSync>
  private constructor(
    server: TestServer,
    readonly user: Person,
  ) {
    const adapter = new LokiJSAdapter({ schema: SCHEMA, useWebWorker: false, useIncrementalIndexedDB: false })
    this.database = new Database({ adapter, modelClasses: [...MODELS, Draft] })
    this.shim = tesseraSync({
      url: server.url,
      headers: () => ({ authorization: `Bearer ${user.token}`, 'x-device-id': user.deviceId }),
      database: this.database,
      tables,
      report: (table, result) => this.reported.push({ table, result }),
    })
  }

  /** Signs the user in on another device. */
  static async of(server: TestServer, user: Person): Promise<Device> {
    const deviceId = `device-${crypto.randomUUID()}`
    const body = { account: user.username, password: user.password }
    const login = ok(await server.request('POST', '/api/auth/login', { deviceId, body }))
    return new Device(server, person(server.url, login, user.username, user.password, deviceId))
  }

  async sync(changed: Partial<SyncArgs> = {}): Promise<SyncLog> {
    const log: SyncLog = {}
    await synchronize({ database: this.database, ...this.shim, sendCreatedAsUpdated: true, log, ...changed })
    return log
  }

  /** Returns the id. */
  async create(table: string, values: Raw): Promise<string> {
    const create = () => this.database.get(table).create((record) => assign(record, values))
    return (await this.database.write(create)).id
  }

  async update(table: string, id: string, values: Raw): Promise<void> {
    const record = await this.database.get(table).find(id)
    await this.database.write(() => record.update(() => assign(record, values)))
  }

  async delete(table: string, id: string): Promise<void> {
    const record = await this.database.get(table).find(id)
    await this.database.write(() => record.markAsDeleted())
  }

  /** All rows of a table that are not deleted, as WatermelonDB stores them, by name or content. */
  async rows(table: string): Promise<Raw[]> {
    const records = await this.database.get(table).query().fetch()
    const raws = records.map((record): Raw => ({ ...record._raw }))
    const nameOf = (raw: Raw): string => raw['name'] ?? raw['content'] ?? raw['text']
    return raws.sort((a, b) => nameOf(a).localeCompare(nameOf(b)))
  }

  async row(table: string): Promise<Raw> {
    const rows = await this.rows(table)
    if (rows.length !== 1) throw new Error(`${table} has ${rows.length} rows`)
    return rows[0]!
  }
}

function assign(record: Model, values: Raw): void {
  for (const [column, value] of Object.entries(values)) record._setRaw(column, value)
}

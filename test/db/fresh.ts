/** Stores on a fresh database of this run's dialect. */

import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { SQL } from 'bun'

import { dialect } from '#db/dialect.ts'
import { BUS_TIMES, type BusTimes } from '#db/engine/pg-bus.ts'
import { databaseFile } from '#db/migrate.ts'
import { type OpenOptions, openStore } from '#db/open.ts'
import type { Store } from '#db/store.ts'
import { systemClock } from '#platform/clock.ts'
import { LogRing } from '#platform/log-ring.ts'
import type { Fields, Log } from '#platform/log.ts'

import { TestClock } from '../harness/clock.ts'
import { emptyDatabase, freshDatabase, freshFile } from '../harness/database.ts'

export const onSqlite = dialect === 'sqlite'

export interface Line {
  level: string
  message: string
  fields: Fields
}

/** A log that keeps its lines in memory. */
export function memoryLog(): Log & { lines: Line[] } {
  const lines: Line[] = []
  const at =
    (level: string) =>
    (message: string, fields: Fields = {}) => {
      lines.push({ level, message, fields })
    }
  return {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    readable: (message) => at('warn')(message),
    recent: new LogRing(systemClock),
    access() {},
    flush() {},
  }
}

export interface Place {
  readonly dataDir: string
  readonly databaseUrl: string
  readonly clock: TestClock
  readonly log: ReturnType<typeof memoryLog>
  /** Migrates and opens the database. The store is closed with the place. `checkAnswers`: as in the configuration. */
  open(
    options?: Pick<OpenOptions, 'limits' | 'searchMs' | 'shared' | 'busTimes' | 'replicaTimes'> & {
      checkAnswers?: boolean
      databaseConnections?: number
      poolerUrl?: string
      databaseReadUrl?: string
    },
  ): Promise<Store>
  /** Runs SQL on a connection of its own, as another program would. */
  raw(statement: string): Promise<unknown[][]>
}

/** Runs `use` with an empty place; afterwards closes every store opened there and removes the place. */
export const withPlace = (use: (place: Place) => Promise<void>): Promise<void> => inPlace(emptyDatabase, use)

async function inPlace(makeDatabase: typeof freshDatabase, use: (place: Place) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-db-'))
  const database = onSqlite ? undefined : await makeDatabase()
  if (onSqlite && makeDatabase === freshDatabase) await freshFile(dataDir)
  const databaseUrl = database?.url ?? ''
  const clock = new TestClock()
  const log = memoryLog()
  const stores: Store[] = []
  try {
    await use({
      dataDir,
      databaseUrl,
      clock,
      log,
      async open({
        checkAnswers = false,
        databaseConnections = 25,
        poolerUrl = '',
        databaseReadUrl = '',
        ...options
      } = {}) {
        const config = { databaseUrl, dataDir, checkAnswers, databaseConnections, poolerUrl, databaseReadUrl }
        const store = await openStore({ config, clock, log, ...options })
        stores.push(store)
        return store
      },
      raw: (statement) => raw(dataDir, databaseUrl, statement),
    })
  } finally {
    for (const store of stores) await store.close()
    await database?.drop()
    rmSync(dataDir, { recursive: true })
  }
}

/** `withPlace` with two stores that share a database with the current schema, or `databaseUrl`. PostgreSQL only. */
export const withTwo = (
  use: (a: Store, b: Store, place: Place) => Promise<void>,
  busTimes: BusTimes = BUS_TIMES,
  databaseUrl?: string,
): Promise<void> =>
  inPlace(
    databaseUrl === undefined ? freshDatabase : async () => ({ url: databaseUrl, drop: async () => {} }),
    async (place) => {
      const [a, b] = [await place.open({ shared: true, busTimes }), await place.open({ shared: true, busTimes })]
      await use(a, b, place)
    },
  )

/** `withPlace` with one open store. */
export const withStore = (use: (store: Store, place: Place) => Promise<void>): Promise<void> =>
  inPlace(freshDatabase, async (place) => use(await place.open(), place))

async function raw(dataDir: string, databaseUrl: string, statement: string): Promise<unknown[][]> {
  if (databaseUrl === '') {
    const db = new Database(databaseFile(dataDir))
    try {
      db.run('PRAGMA busy_timeout = 5000')
      return db.query(statement).values()
    } finally {
      db.close()
    }
  }
  const sql = new SQL({ url: databaseUrl, max: 1 })
  try {
    return await sql.unsafe(statement).values()
  } finally {
    await sql.close()
  }
}

/** The error that a promise rejects with. (`expect().rejects` never returns for a promise that another thread settles.) */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => {
      throw new Error(`resolved with ${JSON.stringify(value)}`)
    },
    (error: unknown) => error,
  )

/** Gives each server under test a database of its own with the current schema: a copy, because migrations take longer. */

import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { SQL } from 'bun'

import { databaseFile, migrate } from '#db/migrate.ts'
import { kindOf } from '#db/schema-state.ts'
import { createLog } from '#platform/log.ts'

import { type Migration, migrations as embedded } from '../../migrations/index.ts'
import { TestClock } from './clock.ts'

export interface TestDatabase {
  readonly url: string
  /** Also ends connections that are still open. */
  drop(): Promise<void>
}

let count = 0
let template: Promise<string> | undefined
let templateFile: Promise<string> | undefined

/** Puts a SQLite database with the current schema and no rows into a data directory that has none. */
export async function freshFile(dataDir: string): Promise<void> {
  const file = databaseFile(dataDir)
  if (existsSync(file)) return
  // All migrations take 280 ms of a core, and a copy of the file less than one.
  templateFile ??= findOrCreateTemplateFile()
  mkdirSync(dataDir, { recursive: true })
  copyFileSync(await templateFile, file)
}

/** Creates a database with the current schema and no rows on the server of TEST_DATABASE_URL. */
export async function freshDatabase(): Promise<TestDatabase> {
  // The migrations take three times as long as a copy of the database that they produce.
  template ??= findOrCreateTemplate()
  return databaseLike(await template)
}

/** Creates an empty database, for tests of migrations and restored backups. */
export const emptyDatabase = (): Promise<TestDatabase> => databaseLike('template0')

async function databaseLike(original: string): Promise<TestDatabase> {
  const name = `tessera_test_${process.pid}_${Date.now().toString(36)}_${count++}`
  await administer(async (server) => {
    const [version] = await server.unsafe('SHOW server_version_num').values()
    // By default, PostgreSQL copies each page through its cache and its log, which takes 110 ms of a core instead of 45. Version 14 does not.
    const strategy = Number(version) >= 150_000 ? 'STRATEGY FILE_COPY' : ''
    await server.unsafe(`CREATE DATABASE ${name} TEMPLATE ${original} ${strategy} ENCODING 'UTF8'`)
  })
  return {
    url: urlOf(name),
    drop: () => administer((server) => server.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  }
}

/**
 * The migrations of this version. `.ci/earlier-version` runs these tests as those of the version before: `TEST_NEXT_MIGRATIONS` is the path of
 * the next version's migrations/index.ts, whose additions the databases then have too.
 */
async function findMigrations(): Promise<readonly Migration[]> {
  const path = process.env['TEST_NEXT_MIGRATIONS']
  if (!path) return embedded.postgres
  const known = new Set(embedded.postgres.map(({ name }) => name))
  const next = (await import(path)) as { readonly migrations: typeof embedded }
  return next.migrations.postgres.filter((one) => known.has(one.name) || kindOf(one) === 'EXPAND')
}

const hashOfAll = (migrations: readonly Migration[]): string =>
  createHash('sha256').update(JSON.stringify(migrations)).digest('hex').slice(0, 16)

const log = createLog({ level: 'error', format: 'text' })

/** Like the template of PostgreSQL, it stays, for other processes and later runs. */
async function findOrCreateTemplateFile(): Promise<string> {
  const file = join(tmpdir(), `tessera-template-${hashOfAll(embedded.sqlite)}.db`)
  if (existsSync(file)) return file
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-template-'))
  await migrate({ databaseUrl: '', dataDir, clock: new TestClock(), log })
  renameSync(databaseFile(dataDir), file)
  rmSync(dataDir, { recursive: true })
  return file
}

/** "template" in ASCII as a number. */
const LOCK_KEY = '8387236824819002469'

/** The template is named by a hash of the migrations and is left on the server, where all test processes and later runs use it. */
async function findOrCreateTemplate(): Promise<string> {
  const migrations = await findMigrations()
  const name = `tessera_template_${hashOfAll(migrations)}`
  await administer(async (server) => {
    await server.unsafe(`SELECT pg_advisory_lock(${LOCK_KEY})`)
    const known = await server.unsafe(`SELECT 1 FROM pg_database WHERE datname = '${name}'`)
    if (known.length > 0) return
    const unfinished = `${name}_unfinished`
    await server.unsafe(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`)
    await server.unsafe(`CREATE DATABASE ${unfinished} TEMPLATE template0 ENCODING 'UTF8'`)
    await migrate({ databaseUrl: urlOf(unfinished), dataDir: '', clock: new TestClock(), log, migrations })
    // PostgreSQL refuses to copy a database while somebody is connected to it.
    await server.unsafe(`ALTER DATABASE ${unfinished} ALLOW_CONNECTIONS false`)
    await server.unsafe(`ALTER DATABASE ${unfinished} RENAME TO ${name}`)
  })
  return name
}

function baseUrl(): string {
  const url = process.env['TEST_DATABASE_URL']
  if (!url) throw new Error('TEST_DATABASE_URL is not set: this test runs on SQLite')
  return url
}

function urlOf(database: string): string {
  const url = new URL(baseUrl())
  url.pathname = `/${database}`
  return url.href
}

async function administer(use: (server: SQL) => Promise<unknown>): Promise<void> {
  const server = new SQL({ url: baseUrl(), max: 1 })
  try {
    await use(server)
  } finally {
    await server.close()
  }
}

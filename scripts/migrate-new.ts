/**
 * `bun run migrate:new NAME`: compares src/db/schema with the last snapshots and writes the next migration for both dialects, the
 * new snapshots and migrations/index.ts. Statements that add, indexes of tables in use, and statements that remove get a migration each
 * (CONTRIBUTING.md, "Migrations"). Read the SQL before you commit it; a released migration must never change.
 * `--check` only exits with code 1 if the schema has changed since the last migration.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { DrizzleSnapshotJSON } from 'drizzle-kit/api'

import manifest from '../package.json' with { type: 'json' }

type Dialect = 'sqlite' | 'postgres'
const DIALECTS: readonly Dialect[] = ['sqlite', 'postgres']
const root = join(import.meta.dir, '../migrations')
const folder = (dialect: Dialect): string => join(root, dialect)
const snapshotOf = (dialect: Dialect): string => join(root, 'snapshots', `${dialect}.json`)
const names = (dialect: Dialect): string[] =>
  readdirSync(folder(dialect))
    .filter((file) => /^\d{4}_\w+\.sql$/.test(file))
    .map((file) => file.slice(0, -'.sql'.length))
    .toSorted()

/** The statements that turn the last snapshot into the present schema, and its snapshot. Runs in a process of that dialect. */
async function difference(dialect: Dialect): Promise<{ statements: string[]; snapshot: unknown }> {
  const kit = await import('drizzle-kit/api')
  const schema = (await import('#db/schema/index.ts')) as Record<string, unknown>
  const path = snapshotOf(dialect)
  const before: unknown = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
  if (dialect === 'sqlite') {
    type Snapshot = Awaited<ReturnType<typeof kit.generateSQLiteDrizzleJson>>
    const from = (before as Snapshot | undefined) ?? (await kit.generateSQLiteDrizzleJson({}))
    const snapshot = await kit.generateSQLiteDrizzleJson(schema, from.id)
    return { statements: await kit.generateSQLiteMigration(from, snapshot), snapshot }
  }
  const from = (before as DrizzleSnapshotJSON | undefined) ?? kit.generateDrizzleJson({})
  const snapshot = kit.generateDrizzleJson(schema, from.id)
  return { statements: await kit.generateMigration(from, snapshot), snapshot }
}

/** Writes migrations/index.ts. It is needed because a compiled executable has no folder to list. */
function writeManifest(): void {
  const imports: string[] = []
  const tables = DIALECTS.map((dialect) => {
    const entries = names(dialect).map((name) => {
      const variable = `${dialect}${name.slice(0, 4)}`
      imports.push(`import ${variable} from './${dialect}/${name}.sql' with { type: 'text' }`)
      return `    { name: '${name}', sql: ${variable} },`
    })
    return `  ${dialect}: [\n${entries.join('\n')}\n  ],`
  })
  const text = [
    '/** All migrations in order, embedded in the executable. Written by scripts/migrate-new.ts. */',
    '',
    ...imports,
    '',
    'export interface Migration {',
    '  readonly name: string',
    '  readonly sql: string',
    '}',
    '',
    "export const migrations: Readonly<Record<'sqlite' | 'postgres', readonly Migration[]>> = {",
    ...tables,
    '}',
    '',
  ]
  writeFileSync(join(root, 'index.ts'), text.join('\n'))
}

/** The last migration of the time when all processes had to stop for each. */
const LAST_WITHOUT_KIND = '0035_totals_of_quotas'

const withoutKind = (dialect: Dialect): string[] =>
  names(dialect)
    .filter((name) => name > LAST_WITHOUT_KIND)
    .map((name) => join(folder(dialect), `${name}.sql`))
    .filter((path) => !/^-- (EXPAND|CONTRACT) \d+\.\d+\.\d+\n/.test(readFileSync(path, 'utf8')))

/** The migration when nothing changes on PostgreSQL. */
const ONLY_SQLITE: Part = { suffix: '', kind: 'EXPAND', statements: [] }

interface Part {
  /** Added to the name of the migration. */
  readonly suffix: '' | '_indexes' | '_contract'
  readonly kind: 'EXPAND' | 'CONTRACT'
  readonly statements: readonly string[]
}

/** Sorts statements for PostgreSQL by how they run beside processes of the version before. */
function partsOf(statements: readonly string[]): readonly Part[] {
  const tableOf = (statement: string): string | undefined => /(?:TABLE|ON) "(\w+)"/.exec(statement)?.[1]
  const created = new Set(statements.filter((one) => one.startsWith('CREATE TABLE')).map(tableOf))
  const isAddition = (statement: string): boolean =>
    created.has(tableOf(statement)) ||
    /^CREATE (TABLE|SEQUENCE|TYPE)/.test(statement) ||
    // The version before inserts no value.
    (/^ALTER TABLE "\w+" ADD COLUMN/.test(statement) && (!/NOT NULL/.test(statement) || /DEFAULT/.test(statement)))
  const isIndex = (statement: string): boolean => !isAddition(statement) && statement.startsWith('CREATE INDEX')
  const removes = (statement: string): boolean => !isAddition(statement) && !isIndex(statement)
  const indexes = statements.filter(isIndex).map((one) => one.replace('CREATE INDEX', 'CREATE INDEX CONCURRENTLY'))
  const parts: Part[] = [
    { suffix: '', kind: 'EXPAND', statements: statements.filter(isAddition) },
    { suffix: '_indexes', kind: 'EXPAND', statements: indexes },
    { suffix: '_contract', kind: 'CONTRACT', statements: statements.filter(removes) },
  ]
  return parts.filter((part) => part.statements.length > 0)
}

/** Runs `difference` in a process of its own, because the dialect of the schema is fixed when it is imported. */
async function inDialect(dialect: Dialect): Promise<{ statements: string[]; snapshot: unknown }> {
  const url = dialect === 'postgres' ? 'postgres://localhost/unused' : ''
  const child = Bun.spawn([process.execPath, import.meta.path, '--dialect', dialect], {
    env: { ...process.env, TESSERA_DATABASE_URL: url },
    // drizzle-kit asks on the terminal whether a column was renamed.
    stdio: ['inherit', 'inherit', 'inherit'],
    ipc: (message) => (answer = message as typeof answer),
  })
  let answer: { statements: string[]; snapshot: unknown } | undefined
  if ((await child.exited) !== 0 || answer === undefined) throw new Error(`the ${dialect} schema could not be compared`)
  return answer
}

const [first, second] = process.argv.slice(2)
if (first === '--dialect') {
  const found = await difference(second as Dialect)
  // A snapshot is larger than the buffer of the channel, which must not be closed before it is empty.
  await new Promise((sent) => process.send?.(found, undefined, undefined, sent))
  process.disconnect?.()
} else {
  const changes = new Map(await Promise.all(DIALECTS.map(async (d) => [d, await inDialect(d)] as const)))
  const changed = DIALECTS.some((dialect) => changes.get(dialect)!.statements.length > 0)
  if (first === '--check') {
    if (changed) console.error('the schema has changed since the last migration: bun run migrate:new NAME')
    const unsorted = DIALECTS.flatMap(withoutKind)
    for (const path of unsorted)
      console.error(`${path} must begin with "-- EXPAND ${manifest.version}" or "-- CONTRACT …"`)
    process.exit(changed || unsorted.length > 0 ? 1 : 0)
  }
  if (first === undefined || !/^\w+$/.test(first)) {
    console.error('usage: bun run migrate:new NAME   (letters, digits and _)')
    process.exit(2)
  }
  if (!changed) {
    console.error('the schema has not changed since the last migration: nothing to do')
    process.exit(1)
  }
  mkdirSync(join(root, 'snapshots'), { recursive: true })
  const [ofSqlite, ofPostgres] = [changes.get('sqlite')!, changes.get('postgres')!]
  const parts = partsOf(ofPostgres.statements.map((statement) => statement.trim()))
  const before = Number(names('sqlite').at(-1)?.slice(0, 4) ?? 0)
  for (const [i, { suffix, kind, statements }] of (parts.length > 0 ? parts : [ONLY_SQLITE]).entries()) {
    const file = `${String(before + i + 1).padStart(4, '0')}_${first}${parts.length > 1 ? suffix : ''}.sql`
    // SQLite runs all of them at the start, so its statements need not be sorted.
    const lists = { sqlite: i === 0 ? ofSqlite.statements : [], postgres: statements }
    for (const dialect of DIALECTS) {
      const path = join(folder(dialect), file)
      // bun:sqlite refuses a text without a statement.
      const list = lists[dialect].length > 0 ? lists[dialect] : ['SELECT 1']
      const text = list.map((statement) => `${statement.trim().replace(/;?$/, ';')}\n`)
      writeFileSync(path, [`-- ${kind} ${manifest.version}\n`, ...text].join('\n'))
      console.log(`${path}: ${kind}`)
    }
  }
  for (const dialect of DIALECTS)
    writeFileSync(snapshotOf(dialect), JSON.stringify(changes.get(dialect)!.snapshot, null, 2) + '\n')
  writeManifest()
}

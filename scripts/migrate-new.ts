/**
 * `bun run migrate:new NAME`: compares src/db/schema with the last snapshots and writes the next migration for both dialects, the
 * new snapshots and migrations/index.ts. Read the SQL before you commit it; a released migration must never change.
 * `--check` only exits with code 1 if the schema has changed since the last migration.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { DrizzleSnapshotJSON } from 'drizzle-kit/api'

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
  process.send?.(await difference(second as Dialect))
  process.disconnect?.()
} else {
  const changes = new Map(await Promise.all(DIALECTS.map(async (d) => [d, await inDialect(d)] as const)))
  const changed = DIALECTS.some((dialect) => changes.get(dialect)!.statements.length > 0)
  if (first === '--check') {
    if (changed) console.error('the schema has changed since the last migration: bun run migrate:new NAME')
    process.exit(changed ? 1 : 0)
  }
  if (first === undefined || !/^\w+$/.test(first)) {
    console.error('usage: bun run migrate:new NAME   (letters, digits and _)')
    process.exit(2)
  }
  if (!changed) {
    console.error('the schema has not changed since the last migration: nothing to do')
    process.exit(1)
  }
  const number = String(names('sqlite').length + 1).padStart(4, '0')
  mkdirSync(join(root, 'snapshots'), { recursive: true })
  for (const [dialect, { statements, snapshot }] of changes) {
    const path = join(folder(dialect), `${number}_${first}.sql`)
    writeFileSync(path, statements.map((statement) => `${statement.trim().replace(/;?$/, ';')}\n`).join('\n'))
    writeFileSync(snapshotOf(dialect), JSON.stringify(snapshot, null, 2) + '\n')
    console.log(path)
  }
  writeManifest()
}

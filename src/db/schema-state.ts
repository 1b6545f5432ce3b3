/**
 * The rules by which a version and a database fit together: which migrations the database has and needs, and whether an older version can use
 * it too. PostgreSQL keeps the kind of each migration, so that a version knows what those are that it does not contain
 * (docs/adr/0025-several-processes.md).
 */

import { createHash } from 'node:crypto'

import type { Migration } from '../../migrations/index.ts'
import { StorageError } from './errors.ts'

/**
 * - `EXPAND` adds: the version before works with it too, so it runs beside processes of that version.
 * - `CONTRACT` removes: it runs when no process of an older version is alive.
 */
export type Kind = 'EXPAND' | 'CONTRACT'

/** A row of `schema_migrations`. SQLite and older versions keep neither kind nor release. */
export interface Applied {
  readonly name: string
  readonly sha256: string
  readonly kind?: string | null
  readonly release?: string | null
}

/** The first line of a migration. Those without it need the database alone. */
const HEADER = /^-- (EXPAND|CONTRACT) (\S+)\n/

export const kindOf = ({ sql }: Migration): Kind | undefined => HEADER.exec(sql)?.[1] as Kind | undefined
/** The version that a migration belongs to. */
export const releaseOf = ({ sql }: Migration): string | undefined => HEADER.exec(sql)?.[2]

export const hashOf = ({ sql }: Migration): string => createHash('sha256').update(sql).digest('hex')

const isContract = (migration: Migration): boolean => kindOf(migration) === 'CONTRACT'

/** The migrations without those that remove: as an older version may find the database. */
export const withoutContracts = (all: readonly Migration[]): Migration[] => all.filter((one) => !isContract(one))

/**
 * Returns the migrations that have not been applied, in order. If the database has migrations of the next version, it is for that version to
 * apply those that remove: none is returned.
 * @throws StorageError of kind `schema` if an applied one was changed, or is unknown and not one that only adds
 */
export function pending(all: readonly Migration[], applied: readonly Applied[], where: string): readonly Migration[] {
  const known = new Map(all.map((migration) => [migration.name, migration]))
  const unknown = applied.filter(({ name }) => !known.has(name))
  for (const { name, sha256 } of applied) {
    const migration = known.get(name)
    if (migration !== undefined && hashOf(migration) !== sha256)
      throw new StorageError(
        'schema',
        `Migration ${name} differs from the one that was applied to ${where}: use the version that created the database, or restore a backup that a released version has written.`,
      )
  }
  const names = new Set(applied.map(({ name }) => name))
  const missing = all.filter(({ name }) => !names.has(name))
  // One version's additions: it was tested with the version before, and with none before that.
  const isOfNext = unknown.every(({ kind, release }) => kind === 'EXPAND' && release === unknown[0]!.release)
  const [next] = withoutContracts(missing)
  // Only those that remove are applied later than others that follow them.
  const later = applied.find(({ name, kind }) => next !== undefined && name > next.name && kind !== 'CONTRACT')
  const stranger = isOfNext ? later : (unknown.find(({ kind }) => kind !== 'EXPAND') ?? unknown.at(-1))
  if (stranger !== undefined)
    throw new StorageError(
      'schema',
      `${where} was created by a newer or different version (migration ${stranger.name} is unknown): use that version, or restore an older backup.`,
    )
  return unknown.length > 0 ? [] : missing
}

/** Whether the migrations can run while processes of the version before use the database. Those of two versions cannot. */
export const canRunBeside = (todo: readonly Migration[]): boolean =>
  todo.every((migration) => kindOf(migration) !== undefined) && new Set(withoutContracts(todo).map(releaseOf)).size <= 1

/** The release of the migrations that have no kind. */
const FIRST_RELEASE = '0.1.0'

export interface MigrationState {
  readonly name: string
  readonly kind: Kind | null
  /** `waiting`: removes what this version does not need, as soon as no older version is alive. */
  readonly state: 'applied' | 'pending' | 'waiting'
}

export interface SchemaState {
  readonly migrations: readonly MigrationState[]
  /** Names of those that were applied. */
  readonly applied: readonly string[]
  /** Names of those that this version needs. */
  readonly pending: readonly string[]
  /** Whether the version before this one, or before the one that has added migrations, could use the database. */
  readonly canGoBack: boolean
}

/** @throws StorageError as `pending` */
export function stateOf(
  all: readonly Migration[],
  applied: readonly Applied[],
  where: string,
  version: string,
): SchemaState {
  const todo = pending(all, applied, where)
  const state = withoutContracts(todo).length > 0 ? 'pending' : 'waiting'
  const known = new Map(all.map((migration) => [migration.name, migration]))
  const rows = applied.map(({ name, kind, release }) => {
    const migration = known.get(name)
    return {
      name,
      // SQLite keeps none, and an older version refuses each migration that it does not know.
      isExpand: kind === 'EXPAND',
      kind: (kind as Kind | null) ?? (migration && kindOf(migration)) ?? null,
      release: release ?? (migration && releaseOf(migration)) ?? FIRST_RELEASE,
    }
  })
  const newest = rows.find(({ name }) => !known.has(name))?.release ?? version
  return {
    migrations: [
      ...rows.map(({ name, kind }) => ({ name, kind, state: 'applied' as const })),
      ...todo.map((migration) => ({ name: migration.name, kind: kindOf(migration) ?? null, state }) as const),
    ].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    applied: applied.map(({ name }) => name),
    pending: state === 'pending' ? todo.map(({ name }) => name) : [],
    canGoBack: rows.length > 0 && rows.every(({ isExpand, release }) => isExpand || release !== newest),
  }
}

/**
 * The contribution of a domain to the isolation test, in `test/<domain>/isolation.ts`: rows of a victim, and the ids of operations
 * that they stand for. A new operation with an id needs an entry in its domain's file; the isolation test fails without one.
 */

import type { Person, TestServer } from '../harness/index.ts'

/** Ids of the victim's rows by name, such as `code` or `org`. */
export type OwnedIds = Readonly<Record<string, number | string>>

export interface IsolationWorld {
  readonly server: TestServer
  readonly admin: Person
  readonly victim: Person
  /** Every text that the victim owns contains it; no answer to another user may. */
  readonly mark: string
  /** Rows of the domains before this one. */
  readonly owned: OwnedIds
}

export interface RowAndBody {
  readonly id: number
  readonly body: object
  /** Further ids in the path, by name. */
  readonly params?: Readonly<Record<string, number>>
}

export interface IsolationFixture {
  /** Creates rows of the victim and returns their ids. */
  make(world: IsolationWorld): Promise<OwnedIds>
  /** The row that the first id in a path stands for. */
  readonly paths: readonly (readonly [path: RegExp, name: string])[]
  /** The rows that fields of bodies and queries, and further ids in paths, stand for. */
  readonly fields: Readonly<Record<string, string>>
  /** Other rows that the same fields stand for in operations with these paths. */
  readonly fieldsIn?: readonly (readonly [path: RegExp, fields: Readonly<Record<string, string>>])[]
  /** The row that a list of ids (`ids`, `items`) stands for, by path. */
  readonly lists?: readonly (readonly [path: RegExp, name: string])[]
  /** Bodies that are valid where the smallest one (samples.ts) is not, by path. */
  readonly bodies?: readonly (readonly [path: RegExp, body: object])[]
  /**
   * For rows in paths of `dual` operations: creates one that belongs to the organization, or else to the person. The key is the name of
   * the row, or the id of an operation that succeeds with other rows only. Where the body names a second row, it comes with the id.
   */
  readonly dual?: Readonly<Record<string, (person: Person, orgId?: number) => Promise<number | RowAndBody>>>
  /** `dual` operations about a row that the caller may not have, or of another user, which answer 404 to callers with every permission. Tested in the domain. */
  readonly callersOwn?: readonly string[]
  /** Requests that together show everything the victim owns in this domain. */
  reads(owned: OwnedIds, victim: Person): readonly string[]
}

/** Fills in `:objectName`, which names a kind of things and no row. The rows of the fixture of metadata are of this kind. */
export const withObject = (path: string): string => path.replace(/:objectName|\{objectName\}/, 'qrCode')

/** The name of the row that a field of an operation stands for. */
export const rowOfField =
  (fixtures: readonly IsolationFixture[]) =>
  (path: string, name: string): string | undefined => {
    const special = fixtures
      .flatMap(({ fieldsIn = [] }) => fieldsIn)
      .find(([pattern, fields]) => pattern.test(path) && name in fields)
    return special?.[1][name] ?? fixtures.findLast(({ fields }) => name in fields)?.fields[name]
  }

/**
 * Usernames and addresses that are held for the users of an import, until these are made. On PostgreSQL an import is one write, which holds nothing:
 * there, a check before each new name would cost a round trip.
 */

import { and, eq, sql } from 'drizzle-orm'

import { dialect } from '#db/dialect.ts'
import { jsonRows } from '#db/json-rows.ts'
import { prepared } from '#db/prepared.ts'
import { identities, users } from '#db/schema/accounts.ts'
import { type HeldKind, heldNames } from '#db/schema/user-imports.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

const find = prepared((db) =>
  db
    .select({ one: sql`1` })
    .from(heldNames)
    .where(and(eq(heldNames.kind, sql.placeholder('kind')), eq(heldNames.name, sql.placeholder('name')))),
)

/** Whether an import is about to give the name to a user. `name`: as it is stored for comparisons. */
export const isHeld = async (db: Db | Tx, kind: string, name: string): Promise<boolean> =>
  dialect === 'sqlite' && (await find(db, { kind, name })).length > 0

/** `name`: as it is stored for comparisons. */
export interface HeldName {
  readonly kind: HeldKind
  readonly name: string
}

const given = jsonRows('given', { kind: 'text', name: 'text', importId: 'int' })
const insertFree = prepared((db) =>
  db
    .insert(heldNames)
    .select(
      sql`select ${given.kind}, ${given.name}, ${given.importId} from ${given.rows}
        where not exists (select 1 from ${users} where ${given.kind} = 'USERNAME' and ${users.usernameKey} = ${given.name})
          and not exists (select 1 from ${identities} where ${identities.provider} = ${given.kind} and ${identities.credential} = ${given.name})`,
    )
    .onConflictDoNothing()
    .returning({ one: sql`1` }),
)

/** Some hundred names that differ. False if one of them is taken or held: the import then gives up all of them. */
export async function holdNames(tx: Tx, importId: number, names: readonly HeldName[]): Promise<boolean> {
  const rows = await insertFree(tx, given.values(names.map((name) => ({ ...name, importId }))))
  return rows.length === names.length
}

const released = jsonRows('given', { kind: 'text', name: 'text' })
const release = prepared((db) =>
  db
    .delete(heldNames)
    .where(
      sql`(${heldNames.kind}, ${heldNames.name}) in (select ${released.kind}, ${released.name} from ${released.rows})`,
    ),
)

/** Some hundred names, in the write that gives them to users. */
export async function releaseNames(tx: Tx, names: readonly HeldName[]): Promise<void> {
  await release(tx, released.values(names))
}

/** Releases at most `limit` names of an import. Returns how many. */
export const releaseSome = (tx: Tx, importId: number, limit: number): Promise<number> =>
  deleteSome(tx, heldNames, eq(heldNames.importId, importId), limit)

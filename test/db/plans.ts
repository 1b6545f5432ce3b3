/** The plans of SQLite for the statements of a query, for tests of indexes. */

import type { ReadDb, WriteTx } from '#db/engine/write.ts'
import type { Runner } from '#db/query/builders.ts'
import type { Db, Tx } from '#db/store.ts'

export interface Planned {
  readonly sql: string
  /** The lines of the plan. */
  readonly plan: readonly string[]
}

type Statement = readonly [sql: string, params: Parameters<Runner['rows']>[1]]

/** The statements that `run` executes on `db` and that contain `part`, with their plans. */
export const plansOf = async (db: Db, run: () => unknown, part = ''): Promise<Planned[]> =>
  explained(db, await statementsOf(db, run, part))

/** The statements that `run` executes on `db`, or in a write, and that contain `part`. */
export async function statementsOf(db: Db | Tx, run: () => unknown, part = ''): Promise<Statement[]> {
  const runner = (db as ReadDb | WriteTx).runner as Runner
  const statements: Statement[] = []
  const { rows } = runner
  runner.rows = (sql, params) => {
    if (sql.includes(part)) statements.push([sql, params])
    return rows.call(runner, sql, params)
  }
  try {
    await run()
  } finally {
    runner.rows = rows
  }
  return statements
}

/** The plans of the statements. SQLite cannot explain inside of a write. */
export async function explained(db: Db, statements: readonly Statement[]): Promise<Planned[]> {
  const { runner } = db as ReadDb
  const plans: Planned[] = []
  for (const [sql, params] of statements) {
    const lines = (await runner.rows(`explain query plan ${sql}`, params)) as unknown[][]
    plans.push({ sql, plan: lines.map((line) => String(line[3])) })
  }
  return plans
}

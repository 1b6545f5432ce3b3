/** The plans of SQLite for the statements of a query, for tests of indexes. */

import type { ReadDb } from '#db/engine/write.ts'
import type { Runner } from '#db/query/builders.ts'
import type { Db } from '#db/store.ts'

export interface Planned {
  readonly sql: string
  /** The lines of the plan. */
  readonly plan: readonly string[]
}

/** The statements that `run` executes on `db` and that contain `part`, with their plans. */
export async function plansOf(db: Db, run: () => unknown, part = ''): Promise<Planned[]> {
  const runner = (db as ReadDb).runner as Runner
  const statements: (readonly [string, Parameters<Runner['rows']>[1]])[] = []
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
  const plans: Planned[] = []
  for (const [sql, params] of statements) {
    const lines = (await runner.rows(`explain query plan ${sql}`, params)) as unknown[][]
    plans.push({ sql, plan: lines.map((line) => String(line[3])) })
  }
  return plans
}

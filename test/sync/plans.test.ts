/** The cost of a pull follows the number of changes: the queries for changes read an index alone, in its order. */

import { expect, test } from 'bun:test'

import { dialect } from '#db/dialect.ts'
import type { Runner } from '#db/query/builders.ts'
import { contributions } from '#domains/domain.ts'

import { inProcess, useServer } from '../harness/index.ts'

const { server } = useServer()

const entities = () => contributions(server.ctx, 'syncEntities').flatMap((some) => Object.entries(some))

test.if(inProcess)('the changes of every entity are read from an index alone, without sorting', async () => {
  const { db } = server.ctx
  expect(entities().map(([name]) => name)).toContain('qrCode')
  for (const [name, entity] of entities())
    for (const owner of entity.readPoint === undefined ? [-1] : [-1, 1]) {
      const plans = await plansOf(() => entity.changes(db.read, owner, { after: 1, until: 2 }, 500))
      expect(plans.length).toBeGreaterThan(0)
      for (const { sql, plan } of plans) {
        const text = `${name}: ${sql}\n${plan.join('\n')}`
        if (dialect === 'sqlite') {
          expect(plan, text).toEqual([
            expect.stringMatching(/^SEARCH \w+ USING COVERING INDEX \w+ \(.*>\? AND .*<\?\)$/),
          ])
        } else {
          expect(text).toContain('Index Only Scan')
          expect(text).not.toMatch(/Sort|Filter/)
        }
      }
    }
})

test.if(inProcess && dialect === 'sqlite')('rows of views are found by their ids', async () => {
  const { db } = server.ctx
  for (const [name, entity] of entities()) {
    if (!['qrCode', 'category', 'scanRecord'].includes(name)) continue
    for (const orgId of entity.readPoint === undefined ? [0] : [0, 1]) {
      const viewer = { userId: 1, orgId }
      const [views] = await plansOf(() => entity.views(server.ctx, db.read, viewer, 'en', [1, 2, 3], 9))
      expect(views!.plan[0], views!.sql).toMatch(/USING INTEGER PRIMARY KEY \(rowid=\?\)$/)
    }
  }
})

/** The statements that `run` executes, with their plans. */
async function plansOf(run: () => Promise<unknown>): Promise<{ sql: string; plan: string[] }[]> {
  const { runner } = server.ctx.db.read as unknown as { runner: Runner }
  const statements: (readonly [sql: string, params: Parameters<Runner['rows']>[1]])[] = []
  const { rows } = runner
  runner.rows = (sql, params) => {
    statements.push([sql, params])
    return rows.call(runner, sql, params)
  }
  try {
    await run()
  } finally {
    runner.rows = rows
  }
  const plans: { sql: string; plan: string[] }[] = []
  for (const [sql, params] of statements) plans.push({ sql, plan: await planOf(sql, params) })
  return plans
}

async function planOf(sql: string, params: Parameters<Runner['rows']>[1]): Promise<string[]> {
  const { db } = server.ctx
  const runnerOf = (of: unknown) => (of as { runner: Runner }).runner
  if (dialect === 'sqlite') {
    const lines = (await runnerOf(db.read).rows(`explain query plan ${sql}`, params)) as unknown[][]
    return lines.map((line) => String(line[3]))
  }
  // On empty tables PostgreSQL prefers other plans. These settings show whether an index could do without them.
  const lines = await db.write('test.explain', async (tx) => {
    const { rows } = runnerOf(tx)
    for (const method of ['seqscan', 'sort', 'bitmapscan'])
      await rows.call(runnerOf(tx), `set local enable_${method} = off`, [])
    return rows.call(runnerOf(tx), `explain ${sql}`, params)
  })
  return (lines as unknown[][]).map((line) => String(line[0]))
}

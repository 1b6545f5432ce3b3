import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { inProcess, startServer } from '../harness/index.ts'

/** Statistics of a small database mislead the planner once it has grown: a page of members took 49 ms instead of 1. */
test.if(inProcess && !process.env['TEST_DATABASE_URL'])(
  'stopping the server leaves no planner statistics in the SQLite database',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tessera-test-'))
    try {
      const server = await startServer({ dataDir })
      const person = await server.person()
      await person.post('/api/orgs', { name: 'small' })
      await server.stop()
      const db = new Database(join(dataDir, 'tessera.db'), { readonly: true })
      const tables = db.query<{ name: string }, []>('SELECT name FROM sqlite_master').all()
      db.close()
      expect(tables.some((t) => t.name === 'organizations')).toBe(true)
      expect(tables.filter((t) => t.name.startsWith('sqlite_stat'))).toEqual([])
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)

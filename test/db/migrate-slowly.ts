/** A migration that takes a while, for migrate.test.ts to kill: arguments are the data directory and the database's URL. */

import { dialect } from '#db/dialect.ts'
import { migrate } from '#db/migrate.ts'
import { systemClock } from '#platform/clock.ts'

import { migrations as embedded } from '../../migrations/index.ts'
import { memoryLog } from './fresh.ts'

const [dataDir = '', databaseUrl = ''] = process.argv.slice(2)
const rows = Array.from({ length: 300 }, (_, i) => {
  const hundred = Array.from({ length: 100 }, (__, j) => `(${i * 100 + j}, '${'x'.repeat(200)}')`)
  return `INSERT INTO slow VALUES ${hundred.join(', ')};`
})
const slow = {
  name: '9000_slow',
  sql: ['CREATE TABLE slow (a integer, b text);', ...rows, 'CREATE INDEX slow_b ON slow (b, a);'].join('\n'),
}

console.log('begins')
await migrate({ databaseUrl, dataDir, clock: systemClock, log: memoryLog(), migrations: [...embedded[dialect], slow] })

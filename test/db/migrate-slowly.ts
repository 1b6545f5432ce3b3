/**
 * Applies a migration that migrate.test.ts kills. Arguments: `slow` (some 100 ms) or `endless` (its last statement takes hours), the
 * data directory, the database's URL.
 */

import { dialect } from '#db/dialect.ts'
import { migrate } from '#db/migrate.ts'
import { systemClock } from '#platform/clock.ts'

import { migrations as embedded } from '../../migrations/index.ts'
import { memoryLog } from './fresh.ts'

const [kind = '', dataDir = '', databaseUrl = ''] = process.argv.slice(2)
const rows = Array.from({ length: 300 }, (_, i) => {
  const hundred = Array.from({ length: 100 }, (__, j) => `(${i * 100 + j}, '${'x'.repeat(200)}')`)
  return `INSERT INTO slow VALUES ${hundred.join(', ')};`
})
const endless =
  dialect === 'sqlite'
    ? 'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 1000000000000) SELECT count(*) FROM t;'
    : 'SELECT pg_sleep(36000);'
const migration = {
  name: `9000_${kind}`,
  sql: [
    'CREATE TABLE slow (a integer, b text);',
    ...rows,
    kind === 'endless' ? endless : 'CREATE INDEX slow_b ON slow (b, a);',
  ].join('\n'),
}

console.log('about to migrate')
const migrations = [...embedded[dialect], migration]
await migrate({ databaseUrl, dataDir, clock: systemClock, log: memoryLog(), migrations })

/** Every migration, in order, embedded in the executable. Written by scripts/migrate-new.ts. */
import sqlite0001 from './sqlite/0001_foundation.sql' with { type: 'text' }
import postgres0001 from './postgres/0001_foundation.sql' with { type: 'text' }

export interface Migration {
  readonly name: string
  readonly sql: string
}

export const migrations: Readonly<Record<'sqlite' | 'postgres', readonly Migration[]>> = {
  sqlite: [
    { name: '0001_foundation', sql: sqlite0001 },
  ],
  postgres: [
    { name: '0001_foundation', sql: postgres0001 },
  ],
}

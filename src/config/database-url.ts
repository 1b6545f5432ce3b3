/**
 * The database of this process. `db/dialect.ts` reads it when it is first imported and builds the tables for that kind of database.
 * The command line sets it after reading the configuration; tests and tools use the environment variable.
 */
export let databaseUrl = process.env['TESSERA_DATABASE_URL'] ?? ''

/** Must be called before any module of `db/` is imported. */
export function useDatabase(url: string): void {
  databaseUrl = url
}

/**
 * The database of this process, for `db/dialect.ts`, which builds the tables for one kind of database when it is first imported.
 * The command line reads the whole configuration first and says the outcome here; tests and tools have the environment only.
 */
export let databaseUrl = process.env['TESSERA_DATABASE_URL'] ?? ''

/** Must be called before anything of `db/` is imported. */
export function useDatabase(url: string): void {
  databaseUrl = url
}

/** The replica (engine/pg-replica.ts) at the start of the server and in commands, which have no store. */

import type { Config } from '#config/config.ts'

import { connectPostgres, placeOf, TimedConnection } from './engine/pg-connection.ts'
import { type Position, reachedPosition, REPLICA_WAIT_MS, Unusable } from './engine/pg-replica.ts'
import { StorageError } from './errors.ts'

export type ReadPlace = Pick<Config, 'databaseUrl' | 'databaseReadUrl'>

async function ask({ databaseUrl, databaseReadUrl }: ReadPlace, waitMs: number): Promise<Position | undefined> {
  const [primary, replica] = [new TimedConnection(databaseUrl, {}), new TimedConnection(databaseReadUrl, {})]
  try {
    return await reachedPosition(primary, replica, waitMs)
  } finally {
    await Promise.all([primary.close(), replica.close()])
  }
}

/** The position that the replica has reached, if it has everything that was committed before this call. Waits for it up to a second. */
export const currentReplica = (place: ReadPlace): Promise<Position | undefined> =>
  place.databaseReadUrl === '' ? Promise.resolve(undefined) : ask(place, REPLICA_WAIT_MS).catch(() => undefined)

export interface ReplicaState {
  /** `WRONG`: this address can never be right. `AWAY`: it is not used at the moment. */
  readonly kind: 'OK' | 'AWAY' | 'WRONG'
  readonly message: string
}

/** A refused password, and a database that does not exist. */
const REFUSED = /^(28|3D)/

/** @throws StorageError of the primary */
export async function replicaState(place: ReadPlace): Promise<ReplicaState> {
  const [where, primary] = [placeOf(place.databaseReadUrl), placeOf(place.databaseUrl)]
  const wrong = (message: string) => ({ kind: 'WRONG', message: `TESSERA_DATABASE_READ_URL: ${message}.` }) as const
  const away = (message: string) => ({ kind: 'AWAY', message: `${message}: all reads go to ${primary}.` }) as const
  if (where === primary) return wrong(`${where} is the database itself, not a replica of it`)
  // Its errors are not those of the replica.
  const sql = connectPostgres(place.databaseReadUrl, 1)
  try {
    await sql.unsafe('SELECT 1')
  } catch (error) {
    const { errno, message } = error as { errno?: unknown; message: string }
    return REFUSED.test(String(errno)) ? wrong(`${where} refuses: ${message}`) : away(`${where} cannot be reached`)
  } finally {
    await sql.close()
  }
  try {
    const isCurrent = (await ask(place, REPLICA_WAIT_MS)) !== undefined
    return isCurrent ? { kind: 'OK', message: `${where} is up to date` } : away(`${where} is behind`)
  } catch (error) {
    if (error instanceof Unusable)
      return error.isForever
        ? wrong(`${where} is no replica of ${primary}: ${error.message}`)
        : away(`${where} is no replica at the moment (${error.message})`)
    if (error instanceof StorageError && error.message.includes(primary)) throw error
    return away(`${where} cannot be asked for its position`)
  }
}

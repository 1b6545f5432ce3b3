/** Adds the changes of administrators to the operation log, in the write that makes them, and lists them. */

import type { AppContext } from '#context'
import { mapPage, type Page } from '#db/paging.ts'
import { LOGGED_VERBS, type LoggedAction, type LoggedTarget } from '#db/schema/operation-log.ts'
import type { Tx } from '#db/store.ts'
import type { Actor, Caller, LogEntry, LoggedActor } from '#http/endpoint.ts'
import type { Seal } from '#platform/seal.ts'

import type { LogQuery, LogView } from './model.ts'
import { changedFields, FIRST_HASH, hashOf, type Link } from './rules.ts'
import { insertLog, type LogRow, logsPage, nameOf, newestHash } from './store.ts'

const targetOf = new Map(
  Object.entries(LOGGED_VERBS).flatMap(([target, verbs]) =>
    verbs.map((verb) => [`${target}_${verb}` as LoggedAction, target as LoggedTarget] as const),
  ),
)

/** The signature of a row: nobody who only has the database can make one. */
export const signatureOf = (seal: Pick<Seal, 'mac'>, hash: string): string => seal.mac(`operation log ${hash}`)

/** The actor of one request, with a `write` that adds its change to the log as `action`. */
export function loggedActor(ctx: AppContext, actor: Actor, action: LoggedAction, caller: Caller): LoggedActor {
  const logged: LoggedActor = {
    ...actor,
    hasWritten: false,
    async write(name, fn) {
      const result = await ctx.db.write(name, async (tx) => {
        const outcome = await fn(tx)
        if (outcome.logged !== 'unchanged') await appendLog(ctx, tx, actor, action, caller, outcome.logged)
        return outcome.result
      })
      logged.hasWritten = true
      return result
    },
  }
  return logged
}

/** Adds nothing if the entry has both states and they are equal. */
async function appendLog(
  ctx: AppContext,
  tx: Tx,
  actor: Actor,
  action: LoggedAction,
  caller: Caller,
  entry: LogEntry,
): Promise<void> {
  const fields = changedFields(entry.before, entry.after)
  if (fields === undefined) return
  const link: Link = {
    actorId: actor.userId,
    actorName: await nameOf(tx, actor.userId),
    action,
    targetType: targetOf.get(action)!,
    targetId: entry.targetId ?? null,
    targetName: entry.targetName ?? null,
    ...fields,
    ipAddress: caller.ip,
    requestId: caller.requestId,
    createdAt: tx.stamp,
    previousHash: (await newestHash(tx)) ?? FIRST_HASH,
  }
  const hash = hashOf(link)
  const id = await insertLog(tx, { ...link, hash, signature: signatureOf(ctx.seal, hash) })
  // The newest rows can be cut off without a trace in the chain, but not from a log that is kept elsewhere.
  tx.afterCommit(() => ctx.log.info('operation logged', { id, action, actor: actor.userId, hash }))
}

const toLogView = (row: LogRow): LogView => ({
  id: row.id,
  actorId: row.actorId,
  actorName: row.actorName,
  action: row.action,
  targetType: row.targetType,
  targetId: row.targetId,
  targetName: row.targetName,
  before: row.before,
  after: row.after,
  ipAddress: row.ipAddress,
  requestId: row.requestId,
  createdAt: row.createdAt,
  hash: row.hash,
  previousHash: row.previousHash,
})

/** On the worker, because filters and the total may look at all rows of several years. */
export const listLogs = async (ctx: AppContext, query: LogQuery): Promise<Page<LogView>> =>
  mapPage(await logsPage(ctx.db.readInWorker, query), toLogView)

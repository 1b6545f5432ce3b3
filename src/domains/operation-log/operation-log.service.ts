/** Adds the changes of administrators to the operation log, in the write that makes them. */

import { type AppContext, perContext } from '#context'
import { LOGGED_VERBS, type LoggedAction, type LoggedTarget } from '#db/schema/operation-log.ts'
import type { Tx, WriteOptions } from '#db/store.ts'
import type { Actor, Caller, LogEntry, LoggedActor } from '#http/endpoint.ts'
import { badRequest } from '#http/errors.ts'

import {
  changedFields,
  entryBytes,
  FIRST_HASH,
  hashOf,
  type Head,
  type Link,
  MAX_ENTRY_BYTES,
  signaturesOf,
} from './operation-log.rules.ts'
import { findHead, insertLog, nameOf, newestCheckpoint, newestRow, saveHead } from './operation-log.store.ts'

const targetOf = new Map(
  Object.entries(LOGGED_VERBS).flatMap(([target, verbs]) =>
    verbs.map((verb) => [`${target}_${verb}` as LoggedAction, target as LoggedTarget] as const),
  ),
)

/** Logged writes take turns, also those of several processes, so that the chain never forks. */
export const IN_ORDER: WriteOptions = { inOrder: 'admin_log_head' }

const signatures = perContext(({ seal }) => signaturesOf(seal))

/** The actor of one request, with a `write` that adds its change to the log as `action`. */
export function loggedActor(ctx: AppContext, actor: Actor, action: LoggedAction, caller: Caller): LoggedActor {
  const logged: LoggedActor = {
    ...actor,
    hasWritten: false,
    async write(name, fn, options = {}) {
      const result = await ctx.db.write(
        name,
        async (tx) => {
          const outcome = await fn(tx)
          const entry = outcome.logged
          if (entry !== 'unchanged') await appendLog(ctx, tx, actor, entry.action ?? action, caller, entry)
          return outcome.result
        },
        { ...IN_ORDER, ...options },
      )
      logged.hasWritten = true
      return result
    },
  }
  return logged
}

const tooLarge = () =>
  badRequest(
    'The change is too large for the operation log, which keeps 1 MB of it: change less at once',
    '本次更改超过操作日志可记录的 1 MB，请分批更改',
  )

/** In a write with `IN_ORDER`. Adds nothing if the entry has both states and they are equal. `name` is that of a user of other data. */
export async function appendLog(
  ctx: AppContext,
  tx: Tx,
  actor: Pick<Actor, 'userId' | 'key'> & { readonly name?: string },
  action: LoggedAction,
  caller: Pick<Caller, 'ip' | 'requestId'>,
  entry: LogEntry,
): Promise<void> {
  const fields = changedFields(entry.before, entry.after)
  if (fields === undefined) return
  if (entryBytes(fields) > MAX_ENTRY_BYTES) throw tooLarge()
  const { head, newest, isWhole } = await readHead(ctx, tx)
  const link: Link = {
    actorId: actor.userId,
    actorName: actor.name ?? (await nameOf(tx, actor.userId)),
    apiKeyId: actor.key?.id ?? null,
    apiKeyName: actor.key?.name ?? null,
    action,
    targetType: targetOf.get(action)!,
    targetId: entry.targetId ?? null,
    targetName: entry.targetName ?? null,
    ...fields,
    ipAddress: caller.ip,
    requestId: caller.requestId,
    createdAt: tx.stamp,
    previousHash: newest?.hash ?? FIRST_HASH,
  }
  const hash = hashOf(link)
  const id = Math.max(head?.rowId ?? 0, newest?.id ?? 0) + 1
  const sign = signatures(ctx)
  await insertLog(tx, { ...link, id, hash, signature: sign.row(id, hash) })
  // An administrator must be able to repair a server whose log was damaged, but a signed head must not hide the damage.
  const brokenAt = isWhole ? head!.brokenAt : id
  const next: Head = { rowId: id, hash, rowCount: (head?.rowCount ?? newest?.id ?? 0) + 1, brokenAt }
  await saveHead(tx, { ...next, signature: sign.head(next) })
  tx.afterCommit(() => {
    if (!isWhole) ctx.log.error('operation log broken: run "tessera log verify"', { id })
    // A log that is kept elsewhere proves that the row existed, even if somebody restores an old copy of the database.
    ctx.log.info('operation logged', { id, action, actor: actor.userId, hash })
  })
}

/** `isWhole`: the head is signed with this server's key and is the newest row. */
async function readHead(ctx: AppContext, tx: Tx) {
  const [head, newest] = [await findHead(tx), await newestRow(tx)]
  const isWhole =
    head !== undefined &&
    head.signature === signatures(ctx).head(head) &&
    head.rowId === (newest?.id ?? 0) &&
    head.hash === (newest?.hash ?? FIRST_HASH)
  return { head, newest, isWhole }
}

/**
 * Signs the head that a migration has made, which has no signature. Rows that this version has written have a signed head already, so the
 * newest row must be one of an earlier version.
 */
export async function signFirstHead(ctx: AppContext): Promise<void> {
  if ((await findHead(ctx.db.read))?.signature !== '') return
  await ctx.db.write(
    'operationLog.signHead',
    async (tx) => {
      const [head, newest] = [await findHead(tx), await newestRow(tx)]
      const sign = signatures(ctx)
      const isEarlier =
        newest === undefined
          ? (await newestCheckpoint(tx)) === undefined
          : newest.signature === sign.earlierRow(newest.hash)
      if (head?.signature !== '' || !isEarlier || head.rowId !== (newest?.id ?? 0)) return
      await saveHead(tx, { ...head, signature: sign.head(head) })
    },
    IN_ORDER,
  )
}

/** Writes the head to the server's log: where that is kept elsewhere, it proves which rows existed (`tessera log verify --since`). */
export async function logWitness(ctx: AppContext): Promise<void> {
  const head = await findHead(ctx.db.read)
  if (head && head.rowId > 0) ctx.log.info('operation log witness', { witness: `${head.rowId}:${head.hash}` })
}

/** Replaces the data by a backup, or by the data that another restore has replaced, and remembers it across the swap. */

import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { AppContext } from '#context'
import { platformBindings, requireSystemAdmin, SYSTEM_ADMIN } from '#domains/access/index.ts'
import { confirm, requireConfirmation } from '#domains/accounts/index.ts'
import { notify } from '#domains/notifications/index.ts'
import { appendLog, IN_ORDER } from '#domains/operation-log/index.ts'
import type { Caller, LoggedActor } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { InvalidRequest } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'
import { SQLITE_FILE } from '#platform/backup/manifest.ts'
import {
  addRestore,
  endRestore,
  readRestores,
  type RestorePlan,
  type RestoreRecord,
} from '#platform/backup/restores.ts'
import { freeStamp, keptStamps, oldDataOf, stagingOf } from '#platform/backup/swap.ts'

import * as errors from '../backups.errors.ts'
import { endTask, findTask, nameOfUser } from '../backups.store.ts'
import { worker } from '../backups.tasks.ts'
import { folderOf } from '../directory/directory.service.ts'
import { keptValues } from './kept-values.service.ts'
import { refusalsOf, refusalText, verifiedFacts } from './preview.service.ts'
import type { RestoreList, RestoreView, Started, StartRestore, StartUndo } from './restores.model.ts'
import * as store from './restores.store.ts'

/** Whether there is a database of before the restore, which the last step of its deletion would have left. */
const hasOldData = ({ config }: AppContext, id: string): boolean => {
  const kept = oldDataOf(config.dataDir, { stamp: id })
  return config.databaseUrl === '' && kept !== undefined && existsSync(join(kept, SQLITE_FILE))
}

export async function listRestores(ctx: AppContext, locale: Locale): Promise<RestoreList> {
  const { dataDir } = ctx.config
  const listed = readRestores(dataDir).map((record) => toView(ctx, record, locale))
  const known = new Set(listed.map(({ id }) => id))
  // Restores of the command line, and those that fell off the list, as long as they take space.
  const others = (await keptStamps(dataDir)).filter((id) => !known.has(id) && timeOf(id) !== undefined)
  return { items: [...listed, ...others.map((id) => unlisted(ctx, id))] }
}

function toView(ctx: AppContext, record: RestoreRecord, locale: Locale): RestoreView {
  const { id, kind, name, by, startedAt, state, problem } = record
  return {
    id,
    kind,
    name,
    startedBy: { id: by.id === 0 ? null : by.id, name: by.name },
    startedAt,
    state,
    problem: problem?.[locale] ?? null,
    undo: hasOldData(ctx, id),
  }
}

const unlisted = (ctx: AppContext, id: string): RestoreView => ({
  id,
  kind: 'RESTORE',
  name: null,
  startedBy: null,
  startedAt: timeOf(id)!,
  state: 'DONE',
  problem: null,
  undo: hasOldData(ctx, id),
})

/** The time in the id of a restore; undefined if it is none. */
function timeOf(id: string): number | undefined {
  const found = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)(?:-\d{1,3})?$/.exec(id)
  if (found === null) return undefined
  const [, year, month, day, hour, minute, second] = found
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(time) ? undefined : time
}

/** Answers when the server begins to stop. */
export async function startRestore(
  ctx: AppContext,
  actor: LoggedActor,
  name: string,
  { confirm: typed, password, keepSessions, keepServerValues }: StartRestore,
  caller: Caller,
): Promise<Started> {
  await requireSystemAdmin(ctx.db.read, actor)
  const facts = await verifiedFacts(ctx, name)
  if (typed !== name) throw new InvalidRequest([errors.notConfirmed()])
  await requireProof(ctx, actor, password, caller)
  const [refusal] = await refusalsOf(ctx, facts)
  if (refusal !== undefined) throw badRequest(refusalText(refusal).en, refusalText(refusal).zh)
  return start(
    ctx,
    actor,
    { kind: 'RESTORE', name, archive: join(await folderOf(ctx), name), keepSessions, keepServerValues },
    caller,
  )
}

export async function startUndo(
  ctx: AppContext,
  actor: LoggedActor,
  id: string,
  { password, keepSessions }: StartUndo,
  caller: Caller,
): Promise<Started> {
  await requireSystemAdmin(ctx.db.read, actor)
  await find(ctx, id)
  if (!hasOldData(ctx, id)) throw errors.noOldData()
  await requireProof(ctx, actor, password, caller)
  return start(ctx, actor, { kind: 'UNDO', name: id, archive: undefined, keepSessions, keepServerValues: true }, caller)
}

async function requireProof(
  ctx: AppContext,
  actor: LoggedActor,
  password: string | null | undefined,
  caller: Caller,
): Promise<void> {
  if (password) await confirm(ctx, actor, { verifyType: 'PASSWORD', password }, caller)
  await requireConfirmation(ctx, actor)
}

interface Wish extends Omit<RestorePlan, 'note'> {
  /** Whether the address, the certificate, the mail server and the folder of backups stay those of this machine. */
  readonly keepServerValues: boolean
  readonly kind: 'RESTORE' | 'UNDO'
  readonly name: string
}

async function start(ctx: AppContext, actor: LoggedActor, wish: Wish, caller: Caller): Promise<Started> {
  const { name } = wish
  const by = { id: actor.userId, name: await nameOfUser(ctx.db.read, actor.userId) }
  return begin(ctx, wish, by, caller, (claim, id) =>
    actor.write('backups.restore', async (tx) => {
      await requireSystemAdmin(tx, actor)
      await claim(tx)
      return { result: undefined, logged: { targetName: name, after: { name, restore: id } } }
    }),
  )
}

/** `write` runs `claim` in a write: of several restores, backups and verifications at once, one may run. */
export async function begin(
  ctx: AppContext,
  { kind, name, ...how }: Wish,
  by: RestoreRecord['by'],
  { ip, requestId }: Caller,
  write: (claim: (tx: Parameters<typeof endTask>[0]) => Promise<void>, id: string) => Promise<void>,
  setup?: RestoreRecord['setup'],
): Promise<Started> {
  const { dataDir } = ctx.config
  if (ctx.lifecycle.restore === undefined) throw errors.cannotRestore()
  const startedAt = ctx.clock.now()
  const id = await freeStamp(dataDir, startedAt)
  const task = worker(ctx).newTask('RESTORE', name, id)
  await write(async (tx) => {
    if (!(await worker(ctx).claim(tx, task))) throw errors.busy()
  }, id)
  try {
    const logBefore = await store.findLogHead(ctx.db.read)
    await addRestore(dataDir, {
      id,
      kind,
      name,
      by,
      startedAt,
      state: 'RUNNING',
      problem: null,
      ...(setup && { setup }),
    })
    const { keepServerValues, ...plan } = how
    ctx.lifecycle.restore(
      { note: { id, kind, name, by, ip, requestId, logBefore }, ...plan },
      keepServerValues ? await keptValues(ctx) : undefined,
    )
  } catch (error) {
    await ctx.db.write('backups.restoreNotBegun', (tx) => endTask(tx, task))
    throw error
  }
  return { id, startedAt }
}

/** Deletes the data that a restore has replaced. */
export async function discardOldData(ctx: AppContext, actor: LoggedActor, id: string): Promise<void> {
  await find(ctx, id)
  const kept = oldDataOf(ctx.config.dataDir, { stamp: id })
  if (kept === undefined) throw errors.noOldData()
  await actor.write('backups.discard', async (tx) => {
    await requireSystemAdmin(tx, actor)
    if ((await findTask(tx, ctx.clock.now()))?.kind === 'RESTORE') throw errors.busy()
    return { result: undefined, logged: { targetName: id, before: { restore: id } } }
  })
  // Without its database it cannot come back, so a server that is killed now leaves nothing that looks whole.
  await rm(join(kept, SQLITE_FILE), { force: true })
  await rm(kept, { recursive: true, force: true })
}

/** @throws AppError 404 */
async function find(ctx: AppContext, id: string): Promise<void> {
  const { items } = await listRestores(ctx, 'en')
  if (!items.some((one) => one.id === id)) throw notFound()
}

const REPLACED = {
  RESTORE: { en: 'A backup was restored', zh: '已恢复备份' },
  UNDO: { en: 'A restore was undone', zh: '已撤销恢复' },
} as const

/** At the start: writes into the data that came in what happened, once, and says of each restore how it ended. */
export async function settleRestores(ctx: AppContext): Promise<void> {
  const note = await store.findNote(ctx.db.read)
  if (note !== undefined && !note.isLogged)
    await ctx.db.write('backups.restored', (tx) => logRestore(ctx, tx), IN_ORDER)
  const { dataDir } = ctx.config
  for (const { id, state } of readRestores(dataDir)) {
    if (state !== 'RUNNING') continue
    const isDone = note?.id === id
    // The server was killed while the backup was unpacked.
    if (!isDone) await rm(stagingOf(dataDir, id), { recursive: true, force: true })
    const failed = { state: 'FAILED', problem: errors.RESTORE_INTERRUPTED } as const
    await endRestore(dataDir, id, isDone ? { state: 'DONE', problem: null } : failed)
  }
}

async function logRestore(ctx: AppContext, tx: Parameters<typeof endTask>[0]): Promise<void> {
  const note = await store.findNote(tx)
  if (note === undefined || note.isLogged) return
  const { id, kind, name, by, ip, requestId, logBefore, logAfter } = note
  const head = (row: typeof logBefore) => row && `${row.id}:${row.hash}`
  const action = kind === 'UNDO' ? 'BACKUP_UNDO' : 'BACKUP_RESTORE'
  const actor = { userId: (await store.isKnown(tx, by)) ? by.id : 0, name: by.name }
  await appendLog(
    ctx,
    tx,
    actor,
    action,
    { ip, requestId },
    {
      targetName: name,
      before: { restore: null, log: head(logBefore) },
      after: { restore: id, log: head(logAfter) },
    },
  )
  const administrators = (await platformBindings(tx)).filter(({ code }) => code === SYSTEM_ADMIN)
  await notify(ctx, tx, {
    userIds: administrators.map(({ userId }) => userId),
    type: 'SYSTEM',
    title: REPLACED[kind],
    body: {
      en: `${by.name} has replaced the data of this server: ${name}`,
      zh: `${by.name} 替换了此服务器的数据：${name}`,
    },
    subject: 'RESTORE',
  })
  await store.saveNote(tx, { ...note, isLogged: true })
}

/**
 * The new users of an import on SQLite, which has one writer: all others would wait for a write of thousands of users. So there are three steps:
 *
 * 1. Short writes save the users in parts, and hold their names and addresses, so that nobody else can take them. Nobody sees these users.
 * 2. One short write accepts the import, with everything else that it changes: from here on, all of its users will be made.
 * 3. Short writes make the users of a part each, and queue the mails with their start codes.
 *
 * After a crash, the next start gives up an import that was not accepted, and makes the rest of one that was. So all users are made or none, as by the
 * one write on PostgreSQL, where no other write waits for it.
 */

import { type AppContext, perContext } from '#context'
import { outsideRequest } from '#db/around-writes.ts'
import {
  createManyUsers,
  type HeldName,
  holdNames,
  releaseNames,
  releaseSome,
  type StartingUser,
  usernameKey,
} from '#domains/accounts/index.ts'
import type { Job } from '#domains/domain.ts'
import { addAwaitedMembers } from '#domains/orgs/index.ts'
import type { Locale } from '#lib/localized.ts'
import { restingPause } from '#lib/pause.ts'
import { MINUTE } from '#platform/clock.ts'

import type { Slip } from '../slips/slips.service.ts'
import { queueStartMails, type StartMail } from '../slips/start-mails.service.ts'
import * as store from './parts.store.ts'
import type { Membership } from './rows.rules.ts'

/** Users of a part: making them takes two milliseconds. */
const PART = 25
/** Names that one write releases. */
const RELEASED_AT_ONCE = 500

export interface NewUser extends StartingUser, Pick<Slip, 'name' | 'language'> {
  readonly membership?: Membership | undefined
  /** The language of the mail with the start code; undefined if the code is not mailed. */
  readonly mailIn?: Locale | undefined
}

/** The mails with the start codes of new users. */
export const mailsTo = (users: readonly NewUser[]): StartMail[] =>
  users.flatMap(({ name, username, email, code, mailIn: locale }) =>
    email === undefined || code === undefined || locale === undefined ? [] : [{ name, username, email, code, locale }],
  )

const namesOf = ({ username, email, phone }: NewUser): HeldName[] => [
  { kind: 'USERNAME', name: usernameKey(username) },
  ...(email === undefined ? [] : [{ kind: 'EMAIL' as const, name: email }]),
  ...(phone === undefined ? [] : [{ kind: 'PHONE' as const, name: phone }]),
]

const queues = perContext(() => ({ last: Promise.resolve() as Promise<unknown> }))

/**
 * Runs imports one after the other, so that each one sees the users of those before it. Rests of earlier ones are finished before `run`, and the import
 * that it has accepted is finished after it.
 */
export function inTurn<T>(ctx: AppContext, run: () => Promise<T>): Promise<T> {
  const queue = queues(ctx)
  const turn = queue.last.then(async () => {
    await finish(ctx)
    try {
      return await run()
    } finally {
      await finish(ctx)
    }
  })
  queue.last = turn.catch(() => undefined)
  return turn
}

/** Step 1. Returns the id of the import, or undefined if a name is taken. To be called in a turn. */
export const holdUsers = (
  ctx: AppContext,
  by: { readonly createdBy: number; readonly isForeign: boolean },
  users: readonly NewUser[],
): Promise<number | undefined> =>
  // A repeat of the request makes its own parts.
  outsideRequest(async () => {
    const pause = restingPause()
    const importId = await ctx.db.write('people.startImport', (tx) => store.insertImport(tx, by))
    for (let at = 0; at < users.length; at += PART) {
      const some = users.slice(at, at + PART)
      const contents = ctx.seal.seal(JSON.stringify(some))
      const names = some.flatMap(namesOf)
      const areFree = await ctx.db.write('people.holdNames', async (tx) => {
        await store.insertPart(tx, { importId, contents })
        return holdNames(tx, importId, names)
      })
      if (!areFree) return undefined
      await pause()
    }
    return importId
  })

/** Step 3 of accepted imports, and the end of the others. */
const finish = (ctx: AppContext): Promise<void> =>
  outsideRequest(async () => {
    const pause = restingPause()
    for (let part; (part = await store.nextPart(ctx.db.read)) !== undefined;) {
      await makeUsers(ctx, part)
      await pause()
    }
    for (let id; (id = await store.endedImport(ctx.db.read)) !== undefined;) await deleteImport(ctx, id)
  })

async function makeUsers(
  ctx: AppContext,
  { id, contents, ...by }: NonNullable<Awaited<ReturnType<typeof store.nextPart>>>,
): Promise<void> {
  const text = ctx.seal.open(contents)
  if (text === undefined)
    ctx.log.error('users of an import are lost: their part was sealed with another secret', { id })
  const users = text === undefined ? [] : (JSON.parse(text) as readonly NewUser[])
  await ctx.db.write('people.makeUsers', async (tx) => {
    if (!(await store.takePart(tx, id)) || users.length === 0) return
    await releaseNames(tx, users.flatMap(namesOf))
    const ids = await createManyUsers(ctx, tx, users, by)
    const members = users.flatMap(({ membership }, i) =>
      membership === undefined ? [] : [{ orgId: membership.orgId, role: membership.role, userId: ids[i]! }],
    )
    await addAwaitedMembers(ctx, tx, members)
    await queueStartMails(ctx, tx, mailsTo(users))
  })
}

async function deleteImport(ctx: AppContext, id: number): Promise<void> {
  const all = async (name: string, work: typeof releaseSome): Promise<void> => {
    while ((await ctx.db.write(name, (tx) => work(tx, id, RELEASED_AT_ONCE))) === RELEASED_AT_ONCE);
  }
  await all('people.releaseNames', releaseSome)
  await all('people.deleteParts', store.deleteSomeParts)
  await ctx.db.write('people.endImport', (tx) => store.deleteImport(tx, id))
}

/** Finishes imports that a write has left, which failed for example because the disk was full. */
const finishImports = (ctx: AppContext): Promise<void> => inTurn(ctx, async () => undefined)

/** After a crash, before the server answers. A failure is no reason not to start: the job tries again. */
export const finishAtStart = (ctx: AppContext): Promise<void> =>
  finishImports(ctx).catch((error) => ctx.log.error('an import of users could not be finished', { error }))

export const finishImportsJob: Job = { name: 'people.finishImports', every: MINUTE, run: finishImports }

/** Publishing agreements, showing the current ones, and recording who has accepted them. */

import { type AppContext, type Changed, dropWhen, perContext } from '#context'
import { note } from '#db/notes.ts'
import { mapPage, type Page } from '#db/paging.ts'
import { AGREEMENT_TYPES, type AgreementType } from '#db/schema/agreements.ts'
import type { PendingAgreement } from '#domains/contributions.ts'
import { type Actor, type LoggedActor, Tagged } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { renderMarkdown } from '#lib/markdown/index.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { ReadCache } from '#lib/read-cache.ts'
import { topic } from '#platform/bus.ts'

import type {
  AcceptAgreement,
  AcceptanceView,
  AgreementsQuery,
  AgreementView,
  CurrentAgreement,
  PublishAgreement,
} from './agreements.model.ts'
import * as store from './agreements.store.ts'

/** Changes that are not announced take effect after at most this many milliseconds. */
const CACHE_MS = 60_000
/** The cache has one entry, with the active version of each type. */
const ALL = 0

/** The active version of a type, as it is shown. */
export interface Current {
  readonly id: number
  readonly answer: Tagged<CurrentAgreement>
  /** Epoch milliseconds. */
  readonly activatedAt: number
}

const currentChanged = topic<Changed<typeof ALL>>('agreements.current')

const cache = perContext((ctx) => {
  const current = new ReadCache<typeof ALL, readonly Current[]>({
    max: 1,
    maxAge: CACHE_MS,
    now: () => ctx.clock.now(),
    load: async () => (await store.activeAgreements(ctx.db.read)).map(toCurrent),
  })
  dropWhen(ctx, currentChanged, current)
  return current
})

function toCurrent({ id, type, version, title, content, contentHtml, activatedAt }: store.AgreementRow): Current {
  const data = { type, version, title, content, contentHtml }
  return { id, answer: new Tagged(data, `"${type}-${version}-${activatedAt}"`), activatedAt }
}

/** The active versions. Returns no promise if they are cached. */
export const currentAgreements = (ctx: AppContext): MaybePromise<readonly Current[]> =>
  cache(ctx).get(ALL) ??
  cache(ctx)
    .fetch(ALL)
    .then((loaded) => loaded ?? [])

/** @throws AppError 404 if no version of this type is published */
export async function getCurrent(ctx: AppContext, type: AgreementType): Promise<Current> {
  const current = (await currentAgreements(ctx)).find(({ answer }) => answer.data.type === type)
  if (current === undefined) throw notFound()
  return current
}

/** `name` is any text. @throws AppError 404 if it is not the name of a type in any case, or no version is published */
export async function getCurrentByName(ctx: AppContext, name: string): Promise<Current> {
  const type = AGREEMENT_TYPES.find((known) => known === name.toUpperCase())
  if (type === undefined) throw notFound()
  return getCurrent(ctx, type)
}

/** The active agreements that the user has not accepted. Returns no promise while nothing is published, and then costs no query. */
export function pendingAgreements(ctx: AppContext, userId: number): MaybePromise<readonly PendingAgreement[]> {
  const current = currentAgreements(ctx)
  if (current instanceof Promise) return current.then((loaded) => notAccepted(ctx, userId, loaded))
  return current.length === 0 ? [] : notAccepted(ctx, userId, current)
}

async function notAccepted(ctx: AppContext, userId: number, current: readonly Current[]): Promise<PendingAgreement[]> {
  if (current.length === 0) return []
  const accepted = await store.acceptedOf(
    ctx.db.read,
    userId,
    current.map(({ id }) => id),
  )
  return current
    .filter(({ id }) => !accepted.has(id))
    .map(({ answer: { data } }) => ({ type: data.type, version: data.version, title: data.title }))
}

/**
 * Records that the caller accepts the active version of a type. If they have accepted it before, the first time stays. The database
 * is asked instead of the cache, because an acceptance must never be recorded for a version that has been replaced.
 *
 * @throws AppError 400 if this version is not active
 */
export async function acceptAgreement(ctx: AppContext, actor: Actor, input: AcceptAgreement): Promise<AcceptanceView> {
  const { type, version } = input
  return ctx.db.write('agreements.accept', async (tx) => {
    const id = await store.findActiveVersion(tx, { type, version })
    if (id === undefined) throw notActive()
    return { type, version, acceptedAt: await store.acceptOnce(tx, actor.userId, id) }
  })
}

const notActive = () =>
  badRequest(
    'This version is not in effect; read the current one and accept that',
    '该版本当前未生效，请阅读并接受现行版本',
  )

export const listAgreements = async (ctx: AppContext, query: AgreementsQuery): Promise<Page<AgreementView>> =>
  mapPage(await store.agreementsPage(ctx.db.read, query), toView)

export async function getAgreement(ctx: AppContext, id: number): Promise<AgreementView> {
  const row = await store.findAgreement(ctx.db.read, id)
  if (row === undefined) throw notFound()
  return toView(row)
}

/** Publishes the next version of a type, which replaces the active one at once. */
export async function publishAgreement(
  actor: LoggedActor,
  { type, title, content }: PublishAgreement,
): Promise<AgreementView> {
  const { html: contentHtml } = await renderMarkdown(content)
  return actor.write('agreements.publish', async (tx) => {
    await store.deactivate(tx, type)
    const row = await store.insertNextVersion(tx, { type, title, content, contentHtml, publishedBy: actor.userId })
    tx.publish(currentChanged, 'all')
    note(tx, { type: 'agreement.published', id: row.id, data: { id: row.id, name: nameOf(row) } })
    // The hash proves later which text was published, without a copy of it in the log.
    const after = { type, version: row.version, title, contentSha256: sha256Hex(content) }
    return { result: toView(row), logged: { targetId: row.id, targetName: nameOf(row), after } }
  })
}

/** Makes any published version the active one of its type. Changes nothing if it already is. @throws AppError 404 */
export async function activateAgreement(actor: LoggedActor, id: number): Promise<AgreementView> {
  return actor.write('agreements.activate', async (tx) => {
    const row = await store.findAgreement(tx, id)
    if (row === undefined) throw notFound()
    if (row.active) return { result: toView(row), logged: 'unchanged' }
    const replaced = await store.deactivate(tx, row.type)
    await store.activate(tx, id)
    tx.publish(currentChanged, 'all')
    const before = { activeVersion: replaced?.version ?? null }
    const after = { activeVersion: row.version }
    return {
      result: toView({ ...row, active: true }),
      logged: { targetId: id, targetName: nameOf(row), before, after },
    }
  })
}

/** As `sha256sum` prints it. */
const sha256Hex = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex')

const nameOf = ({ type, version }: store.AgreementRow): string => `${type} ${version}`

const toView = (row: store.AgreementRow): AgreementView => ({
  id: row.id,
  type: row.type,
  version: row.version,
  title: row.title,
  content: row.content,
  contentHtml: row.contentHtml,
  active: row.active,
  publishedBy: row.publishedBy,
  createdAt: row.createdAt,
})

/** Codes and assets that were made without a connection. They wait in the outbox, and are sent by the interface for synchronization. */

import { callWith } from '../api/client.ts'
import { isAway } from '../api/connection.ts'
import { ApiError, isLost } from '../api/errors.ts'
import { newId } from '../api/new-id.ts'
import type { DataOf } from '../api/types.ts'
import { transact } from '../browser/database.ts'
import { notify } from '../browser/notices.ts'
import { serverTime } from '../browser/server-time.ts'
import { currentLocale, type Localized } from '../i18n/locale.ts'
import { addEntry, countUnsent, discardRefused, type Entry, type OutboxKind } from './outbox.ts'
import { currentSession, may } from './session.ts'

/** The operations that make one with a connection. */
const CREATE = { qrCode: 'qrCodes.create', asset: 'assets.create' } as const
export type DraftKind = keyof typeof CREATE
type Row<Kind extends DraftKind> = DataOf<(typeof CREATE)[Kind]>

interface Input {
  /** The workspace at the time of typing. */
  readonly query?: { readonly orgId?: number }
  readonly body: object
}

export interface Draft<Values = unknown> {
  /** Names the row for the server, which makes no second one of this name. */
  readonly localId: string
  /** Epoch milliseconds. */
  readonly madeAt: number
  /** A request was sent, whose answer was lost. */
  readonly isUncertain: boolean
  readonly input: Input
  /** Of the form. */
  readonly values: Values
}
export type DraftEntry<Values = unknown> = Entry<Draft<Values>>

/** Milliseconds for which the server knows an `Idempotency-Key`, less an hour. */
const KEY_LASTS = 23 * 3_600_000
/** Milliseconds. */
const PATIENCE = 15_000

const KEPT: Localized = {
  en: 'The server cannot be reached. It is kept on this device and sent as soon as there is a connection.',
  zh: '无法连接服务器：已保存在本机，恢复网络后自动上传。',
}
const MAY_BE_THERE: Localized = {
  en: 'The answer to the first attempt was lost more than a day ago. Look whether it is in the list; if not, edit it and create it again.',
  zh: '首次提交的应答已丢失超过一天。请先在列表中确认是否已存在；如没有，请编辑后重新新建。',
}

/**
 * Creates a row, or keeps it as a draft if the server cannot be reached: then the answer is undefined. `replaced`: the refused draft that was edited.
 *
 * @throws ApiError
 */
export async function createOrKeep<Kind extends DraftKind>(
  kind: Kind,
  input: Input,
  values: object,
  replaced: DraftEntry | undefined,
): Promise<Row<Kind> | undefined> {
  const draft = { localId: newId(), madeAt: serverTime(), input, values }
  const isNow = (isAway() || !navigator.onLine) && (await keep(kind, { ...draft, isUncertain: false }))
  const row = isNow ? undefined : await create(kind, { ...draft, isUncertain: true })
  if (replaced !== undefined) await discardRefused(replaced.userId, kind, replaced.subject, replaced.id)
  return row
}

async function create<Kind extends DraftKind>(kind: Kind, draft: Draft): Promise<Row<Kind> | undefined> {
  try {
    const headers = { 'idempotency-key': draft.localId }
    return (await callWith(CREATE[kind], draft.input as object, { headers })) as Row<Kind>
  } catch (error) {
    if (!isLost(error) || !(await keep(kind, draft))) throw error
    return undefined
  }
}

/** False if the browser refuses it, or the user may not send it later. */
async function keep(kind: DraftKind, body: Draft): Promise<boolean> {
  const user = currentSession()?.user
  if (user === undefined || !may('sync.push')) return false
  try {
    const subject = body.input.query?.orgId ?? 0
    await transact('readwrite', (tx) => addEntry(tx, { userId: user.id, kind, subject, body }))
    await countUnsent()
    notify(KEPT[currentLocale()], 'info')
    return true
  } catch {
    return false
  }
}

async function send({ kind, body }: Entry<Draft>): Promise<void> {
  const { localId, madeAt, isUncertain, input } = body
  const options = { waitsForSignIn: false, signal: AbortSignal.timeout(PATIENCE) }
  if (isUncertain) {
    if (serverTime() - madeAt > KEY_LASTS) throw new ApiError(409, 409, MAY_BE_THERE[currentLocale()])
    const headers = { 'idempotency-key': localId }
    await callWith(CREATE[kind as DraftKind], input as object, { ...options, headers }).catch((error: unknown) => {
      // 409: the first request is still running.
      throw error instanceof ApiError && error.code === 409 ? new ApiError(0, 0, error.text) : error
    })
    return
  }
  const data = { ...input.body, ...input.query }
  const record = { entity: kind, localId, baseVersion: 0, updatedAt: madeAt, data }
  const answer = (await callWith('sync.push', { body: { records: [record] } }, options)) as DataOf<'sync.push'>
  const { status, code = 400, message = '', details = [] } = answer.results[0]!
  if (status === 'REJECTED') throw new ApiError(code < 1000 ? code : 400, code, message, details)
}

/** How the outbox sends drafts of a kind. `notice` says how many are left. */
export const draftsOf = (name: DraftKind, notice: OutboxKind['notice']): OutboxKind => ({
  name,
  batch: 1,
  send: async ([entry]) => void (await send(entry as Entry<Draft>)),
  notice,
})

/** What accounts need of domains above them. Filled by `app.ts`. */

import { type AppContext, perContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { AppError } from '#http/errors.ts'
import type { Localized } from '#lib/localized.ts'

export interface Note {
  readonly userIds: readonly number[]
  readonly type: 'ACCOUNT_LINK' | 'SYSTEM'
  readonly title: Localized
  readonly body: Localized
  readonly data: Readonly<Record<string, unknown>>
}

/** Puts a notification before the users, inside the write. */
export type Notify = (ctx: AppContext, tx: Tx, note: Note) => Promise<void>

/** Inside the write that deletes the account: ends what it had elsewhere, or says why it may not be deleted and nothing is. */
export type OnDeletion = (ctx: AppContext, tx: Tx, userId: number) => Promise<AppError | undefined>

interface Hooks {
  notify: Notify | undefined
  readonly deletion: OnDeletion[]
}

export const hooks = perContext((): Hooks => ({ notify: undefined, deletion: [] }))

export function registerNotifier(ctx: AppContext, notify: Notify): void {
  hooks(ctx).notify = notify
}

export function registerDeletion(ctx: AppContext, hook: OnDeletion): void {
  hooks(ctx).deletion.push(hook)
}

/** Login records are written by everything that lets people in or out. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { cityOf } from '#domains/delivery/index.ts'

import type { LoginType } from './model.ts'
import { insertRecord } from './store.ts'

/** Stands for an account that does not exist. */
export const NOBODY = 0

export interface LoginEvent {
  /** `NOBODY` when no account has the name that was tried: it costs the same as a wrong password, and administrators see it. */
  readonly userId: number
  readonly loginType: LoginType
  readonly device: { readonly key: string; readonly name: string }
  readonly ip: string
  /** Given: it failed, and why. */
  readonly failureReason?: string
}

export async function recordLogin(ctx: AppContext, tx: Tx, event: LoginEvent): Promise<void> {
  await insertRecord(tx, {
    userId: event.userId,
    loginType: event.loginType,
    status: event.failureReason === undefined ? 'success' : 'failed',
    failureReason: event.failureReason ?? null,
    deviceKey: event.device.key,
    deviceName: event.device.name,
    ipAddress: event.ip,
    city: cityOf(ctx, event.ip),
    createdAt: ctx.clock.now(),
  })
}

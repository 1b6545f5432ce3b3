/** Whose codes lead straight to their targets: a throw-away account must not turn the address of the server into a link for fraud. */

import type { AppContext } from '#context'
import { canSend } from '#domains/delivery/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'

/** PROOF: those of owners who have proved something (`isProved`). */
export type Trust = 'ALL' | 'PROOF' | 'NONE'

/** Returns no promise if the settings are cached. A server that can send nothing asks nobody for a proof. */
export function trustOf(ctx: AppContext): MaybePromise<Trust> {
  const setting = getSetting(ctx, 'links.direct')
  return setting instanceof Promise ? setting.then((value) => trustIn(ctx, value)) : trustIn(ctx, setting)
}

const trustIn = (ctx: AppContext, setting: 'PROVED' | 'ALL' | 'NONE'): Trust =>
  setting !== 'PROVED' ? setting : canSend(ctx) ? 'PROOF' : 'ALL'

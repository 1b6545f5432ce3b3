/** Looks for a newer version of the program, if an administrator has switched that on. Nothing is downloaded or installed. */

import type { AppContext } from '#context'
import { getSetting, lockOf } from '#domains/settings/index.ts'
import { badRequest } from '#http/errors.ts'
import type { Locale } from '#lib/localized.ts'
import { DAY, HOUR } from '#platform/clock.ts'
import { fraction } from '#platform/ids.ts'
import { BadSignature } from '#platform/minisign.ts'
import { GatewayError } from '#platform/outgoing.ts'
import { BadNotice, fetchNotice, isNewer, type Release } from '#platform/release-notice.ts'
import { version } from '#platform/version.ts'

import type { UpdateView } from './releases.model.ts'
import { findLook, type Look, saveLook } from './releases.store.ts'

export async function updateView(ctx: AppContext, locale: Locale): Promise<UpdateView> {
  const { checkedAt = null, problem = null, release = null } = (await findLook(ctx.db.read)) ?? {}
  return {
    locked: lockOf(ctx, 'update.check')?.[locale] ?? null,
    enabled: await getSetting(ctx, 'update.check'),
    checkedAt,
    problem,
    available: release !== null && isNewer(release.version, version) ? release : null,
  }
}

/** @throws AppError 400 if the setting is off or locked */
export async function lookNow(ctx: AppContext, locale: Locale): Promise<UpdateView> {
  const lock = lockOf(ctx, 'update.check')
  if (lock !== undefined) throw badRequest(`update.check ${lock.en}`, `update.check ${lock.zh}`)
  if (!(await getSetting(ctx, 'update.check')))
    throw badRequest('Switch the setting update.check on first', '请先开启设置 update.check')
  await look(ctx)
  return updateView(ctx, locale)
}

/** Once a day, at times that differ between servers. */
export async function lookDaily(ctx: AppContext): Promise<void> {
  if (lockOf(ctx, 'update.check') !== undefined || !(await getSetting(ctx, 'update.check'))) return
  const now = ctx.clock.now()
  const before = await findLook(ctx.db.read)
  if (before === undefined) {
    const first: Look = { nextAt: now + fraction() * DAY, checkedAt: null, problem: null, release: null }
    await ctx.db.write('server.planLook', (tx) => saveLook(tx, first))
  } else if (before.nextAt <= now) await look(ctx)
}

async function look(ctx: AppContext): Promise<void> {
  const found = await answerOf(ctx)
  const now = ctx.clock.now()
  await ctx.db.write('server.look', async (tx) => {
    const known = (await findLook(tx))?.release ?? null
    const [release, problem] = typeof found === 'string' ? [known, found] : [newest(known, found), null]
    await saveLook(tx, { nextAt: now + DAY + (fraction() - 0.5) * HOUR, checkedAt: now, problem, release })
  })
}

/** An old answer that somebody repeats hides no release that is known already. */
const newest = (known: Release | null, found: Release): Release =>
  known !== null && isNewer(known.version, found.version) ? known : found

async function answerOf(ctx: AppContext): Promise<Release | NonNullable<UpdateView['problem']>> {
  try {
    return await fetchNotice(ctx.config.updateUrl, ctx.releaseKey!)
  } catch (error) {
    const problem = problemOf(error)
    ctx.log.warn('no answer to the question for a newer version', { problem, error: (error as Error).message })
    return problem
  }
}

function problemOf(error: unknown): NonNullable<UpdateView['problem']> {
  if (error instanceof BadSignature) return 'NOT_SIGNED'
  if (error instanceof BadNotice) return 'NOT_A_NOTICE'
  if (error instanceof GatewayError) return 'UNREACHABLE'
  throw error
}

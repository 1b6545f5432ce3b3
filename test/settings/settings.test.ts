/** Business settings: defaults, validation, caching, and rows of other versions. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { settings } from '#db/schema/settings.ts'
import { getSetting, setSetting, type SettingKey } from '#domains/settings/index.ts'

import { openTestContext, type TestContext } from '../access/test-context.ts'

let context: TestContext
beforeAll(async () => {
  context = await openTestContext({ seeded: false })
})
afterAll(() => context.close())

describe('getSetting and setSetting', () => {
  test('settings have their documented defaults before anyone changes them', async () => {
    const { ctx } = context
    expect(await getSetting(ctx, 'registration.enabled')).toBe(true)
    expect(await getSetting(ctx, 'quota.storage')).toBe(1_073_741_824)
    expect(await getSetting(ctx, 'quota.qrCodes')).toBe(10_000)
    expect(await getSetting(ctx, 'quota.organizations')).toBe(20)
    expect(await getSetting(ctx, 'upload.maxBytes')).toBe(20_971_520)
    expect(await getSetting(ctx, 'password.minLength')).toBe(6)
    expect(await getSetting(ctx, 'password.refuseCommon')).toBe(true)
    expect(await getSetting(ctx, 'security.stepUp')).toBe(false)
    expect(await getSetting(ctx, 'security.requireTotp')).toBe(false)
    expect(await getSetting(ctx, 'log.retentionDays')).toBe(0)
    expect(await getSetting(ctx, 'upload.types')).toContain('image/png')
    expect(await getSetting(ctx, 'upload.types')).not.toContain('text/html')
    // Cached now, so no promise is returned.
    expect(getSetting(ctx, 'quota.qrCodes')).toBe(10_000)
  })

  test('a changed setting is visible after the commit, and unchanged after a rollback', async () => {
    const { ctx } = context
    const failing = ctx.db.write('test', async (tx) => {
      await setSetting(tx, 'quota.qrCodes', 3)
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await getSetting(ctx, 'quota.qrCodes')).toBe(10_000)
    await ctx.db.write('test', (tx) => setSetting(tx, 'quota.qrCodes', 5))
    expect(await getSetting(ctx, 'quota.qrCodes')).toBe(5)
    await ctx.db.write('test', (tx) => setSetting(tx, 'quota.qrCodes', 6))
    expect(await getSetting(ctx, 'quota.qrCodes')).toBe(6)
    expect(await getSetting(ctx, 'quota.storage')).toBe(1_073_741_824)
    expect(await ctx.db.read.select({ key: settings.key }).from(settings)).toEqual([{ key: 'quota.qrCodes' }])
  })

  test('a setting changed by another process is visible after at most 60 seconds', async () => {
    const other = context.otherProcess()
    expect(await getSetting(other, 'registration.enabled')).toBe(true)
    await context.ctx.db.write('test', (tx) => setSetting(tx, 'registration.enabled', false))
    expect(await getSetting(context.ctx, 'registration.enabled')).toBe(false)
    context.clock.advance(60_000)
    expect(await getSetting(other, 'registration.enabled')).toBe(false)
  })

  const refused: [SettingKey, unknown][] = [
    ['registration.enabled', 'yes'],
    ['registration.enabled', 1],
    ['quota.storage', -1],
    ['quota.storage', 1.5],
    ['quota.qrCodes', Number.MAX_SAFE_INTEGER + 1],
    ['upload.maxBytes', 0],
    ['upload.types', 'image/png'],
    ['upload.types', ['image/png', 'image/png']],
    ['upload.types', ['<script>']],
    ['password.minLength', 5],
    ['password.minLength', 65],
    ['password.refuseCommon', null],
    ['log.retentionDays', 29],
    ['log.retentionDays', 36_501],
  ]
  test.each(refused)('setSetting refuses an invalid value with 400: %s = %p', async (key, value) => {
    const { ctx } = context
    const before = await getSetting(ctx, key)
    const writing = ctx.db.write('test', (tx) => setSetting(tx, key, value as never))
    await expect(writing).rejects.toMatchObject({ status: 400 })
    expect(await getSetting(ctx, key)).toEqual(before)
  })

  test('stored settings that are invalid or unknown to this version are ignored and kept', async () => {
    const { ctx } = context
    const warnings: string[] = []
    const watched = {
      ...context.otherProcess(),
      log: { ...ctx.log, warn: (message: string) => warnings.push(message) },
    }
    await ctx.db.write('test', async (tx) => {
      await tx.insert(settings).values({ key: 'password.minLength', value: 'none', updatedAt: tx.stamp })
      await tx.insert(settings).values({ key: 'of.the.future', value: 1, updatedAt: tx.stamp })
    })
    expect(await getSetting(watched as typeof ctx, 'password.minLength')).toBe(6)
    expect(warnings).toHaveLength(1)
    expect(await ctx.db.read.select().from(settings).where(eq(settings.key, 'of.the.future'))).toHaveLength(1)
  })
})

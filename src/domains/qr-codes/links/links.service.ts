/** The short link of a code as its owner sees and changes it. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { hasCountries } from '#domains/delivery/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'

import { checkLinkPicture } from '../codes/chosen-designs.service.ts'
import { opensOf } from '../codes/codes.rules.ts'
import { findCode, type QrCodeRow, updateCode } from '../codes/codes.store.ts'
import { linkChange, slugQuotaOf } from '../codes/slugs.service.ts'
import { slugsOf } from '../slugs.store.ts'
import { contentTargetProblem, targetRules } from '../targets.service.ts'
import type { LinkView, TriedLink, TryLink, UpdateLink } from './links.model.ts'
import { decide, linkChangeOf, linkProblems } from './links.rules.ts'
import { findLink, isOwnerProved, saveLink } from './links.store.ts'
import { linkView } from './links.view.ts'
import { trustOf } from './trust.service.ts'

/** @throws AppError 404, also for a code without a slug */
export async function getLink(ctx: AppContext, owner: Owner, id: number): Promise<LinkView> {
  const code = await findCode(ctx.db.read, owner, id)
  if (code === undefined) throw notFound()
  return viewOf(ctx, code)
}

async function viewOf(ctx: AppContext, code: QrCodeRow): Promise<LinkView> {
  if (code.slug === null) throw notFound()
  const trust = await trustOf(ctx)
  return linkView(ctx, {
    code: { ...code, slug: code.slug },
    link: await findLink(ctx.db.read, code.id),
    slugs: await slugsOf(ctx.db.read, code.id),
    warnsAlways: trust === 'NONE' || (trust === 'PROOF' && !(await isOwnerProved(ctx.db.read, code.id))),
  })
}

/** Passwords of codes are short enough to be guessed by anyone who has a copy of the database, so the hash has a key. */
export const passwordHashOf = (ctx: AppContext, qrCodeId: number, password: string): string =>
  ctx.seal.mac(JSON.stringify(['link password', qrCodeId, password]))

export async function updateLink(ctx: AppContext, owner: Owner, id: number, input: UpdateLink): Promise<LinkView> {
  const facts = { now: ctx.clock.now(), targets: await targetRules(ctx), hasCountries: hasCountries(ctx) }
  const quota = await slugQuotaOf(ctx)
  const passwordHash = input.password == null ? undefined : passwordHashOf(ctx, id, input.password)
  await checkLinkPicture(ctx, owner, id, input.slug)
  const code = await ctx.db.write('qrCodes.updateLink', async (tx: Tx) => {
    const row = await findCode(tx, owner, id)
    if (row === undefined) throw notFound()
    const link = await findLink(tx, id)
    const problems = linkProblems(link, input, facts)
    const asked = { slug: input.slug, opens: input.opens }
    const changed =
      problems.length > 0 ? {} : await linkChange(tx, owner, row, asked, { quota, where: 'body', isNeeded: true })
    // A code that was not dynamic may have any content.
    const wrong = opensOf(row) === null ? contentTargetProblem(row.content, 'body', facts.targets) : undefined
    if (wrong !== undefined) problems.push(wrong)
    if (problems.length > 0) throw invalidAll(problems)
    const change = linkChangeOf(link, input, passwordHash)
    const isChanged = Object.keys(change).length > 0
    if (isChanged) await saveLink(tx, id, link, change)
    return updateCode(tx, owner, row, changed, isChanged)
  })
  return viewOf(ctx, code)
}

/** The result of a scan. Counts nothing, also not against the limits of the link. */
export async function tryLink(ctx: AppContext, owner: Owner, id: number, input: TryLink): Promise<TriedLink> {
  const code = await findCode(ctx.db.read, owner, id)
  if (code === undefined || code.slug === null) throw notFound()
  if (!code.isPublic) return { result: 'PRIVATE', target: null, ruleIndex: null }
  const scan = {
    at: input.at ?? ctx.clock.now(),
    device: input.device ?? 'OTHER',
    language: input.language?.toLowerCase() ?? '',
    country: input.country ?? null,
    isRobot: false,
    hasPassword: false,
  } as const
  const link = await findLink(ctx.db.read, id)
  const decision = decide({ ...code, opens: opensOf(code), link }, scan, await targetRules(ctx))
  switch (decision.result) {
    case 'TARGET':
      return { result: 'TARGET', target: decision.target.href, ruleIndex: decision.rule }
    case 'FALLBACK':
      return { result: 'FALLBACK', target: decision.target.href, ruleIndex: null }
    case 'HOST_BLOCKED':
      return { result: 'BLOCKED', target: null, ruleIndex: null }
    case 'INFO':
      throw new Error('only robots are shown the information')
    default:
      return { result: decision.result, target: null, ruleIndex: null }
  }
}

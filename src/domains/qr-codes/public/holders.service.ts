/**
 * The code that a short link leads to. Codes that were scanned lately are kept in memory, so that a popular one is not read from the database for each
 * scan. Each write to any of them empties the cache in all processes.
 */

import { type AppContext, dropWhen, perContext } from '#context'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { ReadCache } from '#lib/read-cache.ts'
import { MINUTE } from '#platform/clock.ts'

import { opensOf } from '../codes/codes.rules.ts'
import type { Lead } from '../links/leading.service.ts'
import { findLead, leadsChanged, linkIn } from '../links/links.store.ts'

/** Of imported ones; others are shorter. */
const SLUG = /^[\w-]{1,100}$/

export interface Found extends Lead {
  readonly uuid: string
  readonly name: string
  readonly createdAt: number
  /** In the spelling of the row, also of an earlier slug. */
  readonly asked: string
  /** Whether the slug is that of a label. */
  readonly isLabel: boolean
}

/** `label`: the slug is of no code. Undefined for unknown slugs and for codes that are private or deleted. */
type Holder = Found | { readonly label: string } | undefined

export async function readCode(ctx: AppContext, slug: string): Promise<Holder> {
  if (!SLUG.test(slug)) return undefined
  const row = await findLead(ctx.db.read, slug)
  if (row === undefined) return undefined
  if (row.holder === null) return { label: row.asked }
  if (row.id === null) return undefined
  return {
    asked: row.asked,
    isLabel: row.label !== null,
    id: row.id,
    uuid: row.uuid!,
    name: row.name!,
    content: row.content!,
    blockedAt: row.blockedAt,
    createdAt: row.createdAt!,
    opens: opensOf({ isDynamic: row.isDynamic!, slug: row.slug, opens: row.opens }),
    link: linkIn(row),
  }
}

/** Codes that were read once of late. A code is kept from its second scan on: keeping each of many that are scanned once costs more than reading them. */
const MAX_ONCE = 10_000

/** Codes that are kept. Most take less than a kilobyte: 10 MB together. */
const MAX_CODES = 10_000
/** UTF-16 units of the content and the rules of a code that is kept. */
const MAX_SIZE = 4000

const cache = perContext((ctx) => {
  const once = new Set<string>()
  const isAgain = (slug: string): boolean => {
    if (once.has(slug)) return true
    if (once.size >= MAX_ONCE) once.clear()
    once.add(slug)
    return false
  }
  const codes = new ReadCache<string, NonNullable<Holder>>({
    max: MAX_CODES,
    maxAge: MINUTE,
    now: () => ctx.clock.now(),
    load: (slug) => readCode(ctx, slug),
    // A slug that differs in capitals only may be given later, but none that is all in upper case.
    keeps: (code, slug) =>
      'id' in code && (code.asked === slug || slug === slug.toUpperCase()) && isKept(code) && isAgain(slug),
  })
  dropWhen(ctx, leadsChanged, codes)
  return codes
})

/** Scans use up limits without emptying the cache. */
const isKept = ({ content, link: { maxScans, rules } }: Found): boolean =>
  maxScans === null &&
  rules.every(({ firstScans }) => firstScans === undefined) &&
  content.length + JSON.stringify(rules).length <= MAX_SIZE

/** The same from memory, if it is there. Its name may be an earlier one. */
export const codeOfLink = (ctx: AppContext, slug: string): MaybePromise<Holder> =>
  cache(ctx).get(slug) ?? cache(ctx).fetch(slug)

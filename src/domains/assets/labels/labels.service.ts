/** Files of labels: which things, on how many labels, and whether their codes fit. */

import { type AppContext, perContext } from '#context'
import { spend } from '#db/counters.ts'
import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import type { LabelSettings } from '#db/schema/label-profiles.ts'
import type { Db } from '#db/store.ts'
import { partyOf } from '#domains/access/index.ts'
import { pictureOf } from '#domains/files/index.ts'
import { locationTree } from '#domains/orgs/index.ts'
import { budgetUsedUp, usesOf } from '#http/budget.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { badRequest, type FieldProblem, limited } from '#http/errors.ts'
import { sendFrom } from '#http/exports.ts'
import { Places } from '#http/places.ts'
import { countPrinted } from '#http/printed.ts'
import { invalidAll, InvalidRequest } from '#http/validate.ts'
import type { LabelFile, Order } from '#lib/labels/files.ts'
import { LabelTooSmall, layoutLabel, type Metrics } from '#lib/labels/layout.ts'
import { labelsPerSheet } from '#lib/labels/media.ts'
import type { Dpi } from '#lib/labels/profile.ts'
import type { Locale } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import { reachProblems } from '#lib/reach.ts'

import { assetsReader, listConditions } from '../listing.service.ts'
import { assetIds, type Keep } from '../listing.store.ts'
import { assetsByIds } from '../register/register.store.ts'
import { suppliesReader, supplyConditions } from '../supplies/supplies.service.ts'
import { DEFAULT_SORT, suppliesByIds, supplyIds } from '../supplies/supplies.store.ts'
import { assetLabels, locationLabels, supplyLabels, type ThingLabel } from './contents.service.ts'
import { type Calibrate, type LabelCount, LABELS, MAX_LABELS, type PrintLabels } from './labels.model.ts'
import { checkTarget, settingsOf } from './labels.rules.ts'
import * as store from './labels.store.ts'

const RETRY_SECONDS = 10
/** Files that are made at once. */
const FILES_AT_ONCE = 2

const printing = perContext(
  (ctx) =>
    new Places(
      ctx,
      {
        own: limited('Your last labels are still being made', '你的上一批标签尚未生成完毕', RETRY_SECONDS),
        others: limited(
          'Labels of others are being made, try again later',
          '正在生成其他标签，请稍后再试',
          RETRY_SECONDS,
        ),
      },
      FILES_AT_ONCE,
    ),
)

type Missing = LabelCount['missing'][number]

/** A request whose things are known. */
interface Job {
  readonly ids: readonly number[]
  readonly notFound: readonly Missing[]
  readonly settings: LabelSettings
  readonly order: Order
  readonly labels: (ids: readonly number[]) => AsyncGenerator<ThingLabel>
}

/** Streams the labels. @throws AppError 400, 404, 429 */
export async function printLabels(
  ctx: AppContext,
  owner: Owner,
  input: PrintLabels,
  caller: Caller,
): Promise<Response> {
  const make = ({ read }: { readonly read: Db }) => makeFile(ctx, read, owner, input, caller.locale)
  if (isPicture(input)) return pictureFile(await make(ctx.db))
  return sendFrom(ctx, printing(ctx), 'labels', await withoutRank(ctx, owner, caller), make)
}

async function makeFile(ctx: AppContext, db: Db, owner: Owner, input: PrintLabels, locale: Locale) {
  const job = await prepare(ctx, db, owner, input, locale)
  const { fitting, missing } = await fittingOf(job)
  if (missing.length > 0 && input.skipUnfit !== true) throw unfit(missing)
  if (fitting.length === 0) throw nothing()
  const count = fitting.length * job.order.copies
  await pay(ctx, owner, count)
  const { labelFile } = await import('#lib/labels/files.ts')
  const file = await labelFile(job.order, counted(ctx, job.labels(fitting)), count === 1)
  return { ...named(file), rows: count }
}

/** One label as SVG takes some milliseconds: pages show it while their user chooses, and need not wait for a place. */
const isPicture = ({ ids, copies = 1, format }: PrintLabels): boolean =>
  format === 'SVG' && ids?.length === 1 && copies === 1

async function pictureFile({ pieces, type, name }: Awaited<ReturnType<typeof makeFile>>): Promise<Response> {
  const parts = await Array.fromAsync(pieces)
  const headers = { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` }
  return new Response(Buffer.concat(parts), { headers: { ...headers, 'cache-control': 'no-store' } })
}

/** Two at once are two for everybody: administrators have no more places. */
const withoutRank = async (ctx: AppContext, { userId }: Owner, caller: Caller) => ({
  ...(await partyOf(ctx, userId, caller)),
  isAdministrator: false,
})

const named = ({ pieces, type, extension }: LabelFile) => ({ pieces, type, name: `labels.${extension}` })

async function* counted(ctx: AppContext, labels: AsyncGenerator<ThingLabel>): AsyncGenerator<ThingLabel> {
  for await (const label of labels) {
    countPrinted(ctx, label.content)
    yield label
  }
}

export async function countLabels(
  ctx: AppContext,
  owner: Owner,
  input: PrintLabels,
  { locale }: Caller,
): Promise<LabelCount> {
  const job = await prepare(ctx, ctx.db.read, owner, input, locale)
  const { fitting, missing } = await fittingOf(job)
  const { copies, skip, profile } = job.order
  const labels = fitting.length * copies
  const isSheet = profile.media.type === 'SHEET' && labels > 0
  const pages = isSheet ? Math.ceil((labels + skip) / labelsPerSheet(profile.media)) : labels
  return { labels, pages, missing: [...missing], warning: warningOf(ctx, job.settings, locale) }
}

/** Why links on paper would be useless. */
function warningOf(ctx: AppContext, { content }: LabelSettings, locale: Locale): string | null {
  const { publicUrl } = ctx.config
  if (content === 'NUMBER' || reachProblems(publicUrl).every((problem) => problem === 'PLAIN_HTTP')) return null
  return locale === 'zh'
    ? `标签将指向 ${publicUrl}，其他网络中的设备无法打开。`
    : `Labels will lead to ${publicUrl}, which devices outside of your network cannot open.`
}

export const printCalibration = async (
  ctx: AppContext,
  owner: Owner,
  input: Calibrate,
  caller: Caller,
): Promise<Response> =>
  sendFrom(ctx, printing(ctx), 'labels', await withoutRank(ctx, owner, caller), async () => {
    const problems: FieldProblem[] = []
    const profile = settingsOf(input.profile, 'body.profile', problems)
    const target = { format: input.format, dpi: (input.dpi ?? 203) as Dpi }
    checkTarget(target, problems)
    if (problems.length > 0) throw invalidAll(problems)
    const { calibrationFile } = await import('#lib/labels/files.ts')
    const title = caller.locale === 'zh' ? '校准页' : 'Calibration page'
    const file = await calibrationFile({ profile, ...target, title, language: caller.locale, logo: undefined })
    return { ...named(file), name: `calibration.${file.extension}`, rows: 1 }
  })

async function prepare(ctx: AppContext, db: Db, owner: Owner, input: PrintLabels, locale: Locale): Promise<Job> {
  const problems: FieldProblem[] = []
  const settings = await chosenProfile(ctx, owner, input, problems)
  const source = input.source ?? 'ASSET'
  const { format, copies = 1, skip = 0 } = input
  const dpi = (input.dpi ?? 203) as Dpi
  checkTarget({ format, dpi }, problems)
  if (input.ids != null && input.filter != null)
    problems.push({ path: 'body.filter', text: { en: 'cannot be combined with ids', zh: '不能与 ids 同时使用' } })
  if (source === 'LOCATION') {
    if (owner.orgId === 0) throw badRequest('Only organizations have locations', '只有组织才有位置')
    if (input.filter != null)
      problems.push({ path: 'body.filter', text: { en: 'is for assets and supplies only', zh: '仅适用于资产和物料' } })
    if (settings.content === 'NUMBER')
      problems.push({
        path: 'body.profile',
        text: { en: 'needs content LINK, because locations have no number', zh: '位置没有编号，内容须为 LINK' },
      })
  } else if (input.ids == null && input.filter == null)
    problems.push({ path: 'body.ids', text: { en: 'or a filter is required', zh: '须提供 ids 或筛选条件' } })
  problems.push(...filterProblems(source, input))
  if (problems.length > 0) throw invalidAll(problems)
  const things = { ASSET: assetsOf, SUPPLY: suppliesOf, LOCATION: locationsOf }[source]
  const found = await things(ctx, db, owner, input)
  if (found.ids.length === 0 && found.notFound.length === 0) throw nothing()
  const total = found.ids.length * copies
  if (total > MAX_LABELS || found.ids.length > MAX_LABELS) {
    const many = found.ids.length > MAX_LABELS ? `${MAX_LABELS * copies}+` : String(total)
    throw badRequest(
      `A file has at most ${MAX_LABELS} labels, these are ${many}`,
      `每个文件最多 ${MAX_LABELS} 个标签，当前为 ${many} 个`,
    )
  }
  const logo =
    settings.logo && owner.orgId !== 0 ? await pictureOf(ctx, owner.userId, 'ORG', owner.orgId, LOGO_DOTS) : undefined
  const title = locale === 'zh' ? '标签' : 'Labels'
  const reader = { ctx, db, owner, settings, locale }
  return {
    ...found,
    settings,
    order: { profile: settings, format, dpi, copies, skip, title, language: locale, logo },
    labels: (ids) => LABELS_OF[source](reader, ids),
  }
}

const LABELS_OF = { ASSET: assetLabels, SUPPLY: supplyLabels, LOCATION: locationLabels } as const

/** The filters of a list that the other one lacks. */
const SHARED_FILTERS: ReadonlySet<string> = new Set(['keyword', 'categoryId', 'locationId'])
const SUPPLY_FILTERS: ReadonlySet<string> = new Set(['kind', 'low'])

function filterProblems(source: 'ASSET' | 'SUPPLY' | 'LOCATION', { filter, sort }: PrintLabels): FieldProblem[] {
  const isOfSupplies = source === 'SUPPLY'
  const problems = Object.entries(filter ?? {})
    .filter(
      ([name, value]) => value !== undefined && !SHARED_FILTERS.has(name) && SUPPLY_FILTERS.has(name) !== isOfSupplies,
    )
    .map(([name]) => ({
      path: `body.filter.${name}`,
      text: isOfSupplies
        ? { en: 'is for assets only', zh: '仅适用于资产' }
        : { en: 'is for supplies only', zh: '仅适用于物料' },
    }))
  if (isOfSupplies && sort !== undefined && !['name', '-name', 'updatedAt', '-updatedAt'].includes(sort))
    problems.push({ path: 'body.sort', text: { en: 'is for assets only', zh: '仅适用于资产' } })
  return problems
}

async function chosenProfile(
  ctx: AppContext,
  owner: Owner,
  input: PrintLabels,
  problems: FieldProblem[],
): Promise<LabelSettings> {
  const { profile, profileId } = input
  if ((profile == null) === (profileId == null))
    throw invalidAll([
      {
        path: 'body.profile',
        text: { en: 'or profileId is required, and only one of them', zh: '与 profileId 须二选一' },
      },
    ])
  if (profile != null) return settingsOf(profile, 'body.profile', problems)
  const row = await store.findProfile(ctx.db.read, ownerKey(owner), profileId!)
  if (row === undefined) throw invalidAll([{ path: 'body.profileId', text: { en: 'does not exist', zh: '不存在' } }])
  return row.settings
}

interface Found {
  readonly ids: readonly number[]
  readonly notFound: readonly Missing[]
}

/** The picture is at most 15 mm high: 300 dots an inch. */
const LOGO_DOTS = { width: 180, height: 180 }

/** Rows of which a condition is computed at once. */
const ROWS_PER_READ = 200
/** As many as an export. */
const MAX_READ = 1_000_000

async function assetsOf(ctx: AppContext, db: Db, owner: Owner, { ids, filter, sort }: PrintLabels): Promise<Found> {
  const key = ownerKey(owner)
  if (ids != null) {
    const inOrder = await assetIds(db, key, store.isOneOf(ids), sort, MAX_LABELS)
    const found = split(ids, new Set(inOrder))
    return sort === undefined ? found : { ...found, ids: inOrder }
  }
  const { fields = [], kind: _, low: __, ...given } = filter!
  const { where, isSearch, keep } = await listConditions(ctx, owner, given, parametersOf(fields)).catch(inBody)
  const limit = keep === undefined ? MAX_LABELS + 1 : MAX_READ
  const read = (reader: Db) => assetIds(reader, key, where, sort ?? '-createdAt', limit)
  const matching = isSearch ? await ctx.db.search(owner.userId, read) : await read(await assetsReader(ctx, key))
  if (keep === undefined) return { ids: matching, notFound: [] }
  return { ids: await kept(db, key, matching, keep), notFound: [] }
}

/** The assets that meet a condition that SQL cannot express. Stops when there are too many. */
async function kept(db: Db, key: OwnerKey, ids: readonly number[], keep: Keep): Promise<number[]> {
  const found: number[] = []
  for (let at = 0; at < ids.length && found.length <= MAX_LABELS; at += ROWS_PER_READ) {
    const some = ids.slice(at, at + ROWS_PER_READ)
    const matching = new Set((await keep(db, await assetsByIds(db, key, some))).map(({ id }) => id))
    found.push(...some.filter((id) => matching.has(id)))
    await pause()
  }
  return found
}

/** The filters of the list are those of its query. */
function inBody(error: unknown): never {
  if (!(error instanceof InvalidRequest)) throw error
  throw invalidAll(error.problems.map(({ path, text }) => ({ path: path.replace(/^query\./, 'body.filter.'), text })))
}

/** `field.12=red` as the list has it in its address. */
const parametersOf = (fields: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    fields.map((field) => {
      const at = field.indexOf('=')
      return at === -1 ? [field, ''] : [field.slice(0, at), field.slice(at + 1)]
    }),
  )

const split = (ids: readonly number[], existing: ReadonlySet<number>): Found => ({
  ids: ids.filter((id) => existing.has(id)),
  notFound: ids.filter((id) => !existing.has(id)).map((id) => ({ id, reason: 'NOT_FOUND' })),
})

/** In the order of their names unless `sort` is given. */
async function suppliesOf(ctx: AppContext, db: Db, owner: Owner, { ids, filter, sort }: PrintLabels): Promise<Found> {
  const key = ownerKey(owner)
  const order = (sort ?? DEFAULT_SORT) as 'name'
  if (ids != null) {
    const found = split(ids, new Set((await suppliesByIds(db, key, ids)).map(({ id }) => id)))
    if (sort === undefined || found.ids.length === 0) return found
    const where = await supplyConditions(ctx, owner, { ids: [...found.ids] })
    return { ...found, ids: await supplyIds(db, key, where, order, MAX_LABELS) }
  }
  const { keyword, categoryId, locationId, kind, low } = filter!
  const where = await supplyConditions(ctx, owner, { keyword, categoryId, locationId, kind, low })
  const read = (reader: Db) => supplyIds(reader, key, where, order, MAX_LABELS + 1)
  const matching = keyword ? await ctx.db.search(owner.userId, read) : await read(await suppliesReader(ctx, key))
  return { ids: matching, notFound: [] }
}

async function locationsOf(_ctx: AppContext, db: Db, { orgId }: Owner, { ids }: PrintLabels): Promise<Found> {
  const all = (await locationTree.all(db, orgId)).map(({ id }) => id)
  return ids == null ? { ids: all, notFound: [] } : split(ids, new Set(all))
}

/** The things whose code fits on a label. Links of one kind are equally long, so the first one decides. */
async function fittingOf(
  job: Job,
): Promise<{ readonly fitting: readonly number[]; readonly missing: readonly Missing[] }> {
  const { metricsOf } = await import('#lib/labels/files.ts')
  const fits = fitting(job.order, await metricsOf(job.order))
  if (job.settings.content === 'LINK') {
    for await (const { content } of job.labels(job.ids.slice(0, 1))) {
      const refusal = fits(content)
      if (refusal !== undefined) throw tooSmall(refusal)
    }
    return { fitting: job.ids, missing: job.notFound }
  }
  // The shortest number that there can be.
  const least = fits('1')
  if (least !== undefined) throw tooSmall(least)
  const all: { readonly id: number; readonly content: string }[] = []
  for await (const { id, content } of job.labels(job.ids)) all.push({ id, content })
  const isBars = job.settings.symbology === 'CODE_128'
  if (fits(longestOf(all, isBars)) === undefined) return { fitting: all.map(({ id }) => id), missing: job.notFound }
  const missing = [...job.notFound]
  const good: number[] = []
  for (const { id, content } of all) {
    const refusal = fits(content)
    if (refusal === undefined) good.push(id)
    else missing.push({ id, reason: isBars && refusal.needs === undefined ? 'NOT_ASCII' : 'TOO_LONG' })
    await pause()
  }
  return { fitting: good, missing }
}

/** A text that needs at least as large a code as each of the contents. If it fits, none of them has to be tried. */
function longestOf(all: readonly { readonly content: string }[], isBars: boolean): string {
  const bytes = Math.max(1, ...all.map(({ content }) => Buffer.byteLength(content)))
  if (!isBars) return 'é'.repeat(Math.ceil(bytes / 2))
  return all.find(({ content }) => !/^[ -~]+$/.test(content))?.content ?? 'a'.repeat(bytes)
}

/** Why a code does not fit on the labels of this order; undefined if it does. */
const fitting =
  ({ profile, logo }: Order, metrics: Metrics) =>
  (content: string): LabelTooSmall | undefined => {
    const scale = { x: profile.scaleX, y: profile.scaleY }
    try {
      layoutLabel({ ...profile, placement: 'ONLY' }, { content, texts: [] }, logo, metrics, scale)
    } catch (error) {
      if (error instanceof LabelTooSmall) return error
      throw error
    }
  }

const tooSmall = ({ needs }: LabelTooSmall) =>
  invalidAll([
    {
      path: 'body.profile',
      text:
        needs === undefined
          ? { en: 'has a code that cannot hold the content', zh: '所选码制无法容纳此内容' }
          : {
              en: `needs a label of at least ${needs.width} × ${needs.height} mm for this code`,
              zh: `此码至少需要 ${needs.width} × ${needs.height} 毫米的标签`,
            },
    },
  ])

const REASON_TEXTS = {
  NOT_FOUND: { en: 'does not exist', zh: '不存在' },
  NOT_ASCII: { en: 'has a number that Code 128 cannot hold', zh: '的编号无法用 Code 128 表示' },
  TOO_LONG: { en: 'has a number that is too long for the label', zh: '的编号对标签过长' },
} as const

const unfit = (missing: readonly Missing[]) =>
  invalidAll(
    missing.map(({ id, reason }) => {
      const { en, zh } = REASON_TEXTS[reason]
      return { path: 'body.ids', text: { en: `: ${id} ${en}`, zh: `：${id} ${zh}` } }
    }),
  )

const nothing = () => badRequest('Nothing matches, so there are no labels', '没有符合条件的内容，无法生成标签')

async function pay(ctx: AppContext, { userId }: Owner, labels: number): Promise<void> {
  const uses = await usesOf(ctx, LABELS, { actor: { userId }, caller: { ip: '' } })
  await ctx.db.write('labels.spend', async (tx) => {
    const refusal = await spend(
      tx,
      uses.map((use) => ({ ...use, cost: labels })),
      ctx.clock.now(),
    )
    if (refusal !== undefined) throw budgetUsedUp(refusal)
  })
}

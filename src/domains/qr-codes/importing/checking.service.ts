/** Checks the rows of an import, with a bounded number of queries for each group of them. */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import type { Db } from '#db/store.ts'
import { hasCountries } from '#domains/delivery/index.ts'
import type { Owner } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import { itemChecker, valueChecker } from '#http/validate.ts'
import type { Localized } from '#lib/localized.ts'
import type { SheetRow } from '#lib/spreadsheets/sheet.ts'
import { SECOND } from '#platform/clock.ts'

import { chooseDesigns } from '../codes/chosen-designs.service.ts'
import { mayNotPublish, slugReserved, slugTaken } from '../codes/codes.errors.ts'
import { type Level, NewQrCode, UpdateQrCode } from '../codes/codes.model.ts'
import {
  changeOf,
  type CodeChange,
  contentProblem,
  differences,
  isReserved,
  type NewCode,
  newCode,
  opensOf,
} from '../codes/codes.rules.ts'
import { mayPublish } from '../codes/codes.service.ts'
import type { QrCodeRow } from '../codes/codes.store.ts'
import { pictureContent, styleView } from '../codes/codes.view.ts'
import { UpdateLink } from '../links/links.model.ts'
import { type Facts, linkChangeOf, linkProblems, PLAIN } from '../links/links.rules.ts'
import { findUnreadable } from '../looks/looks.service.ts'
import { findDesign } from '../looks/looks.store.ts'
import { contentTargetProblem, targetRules } from '../targets.service.ts'
import type { Columns, Key } from './columns.rules.ts'
import * as errors from './importing.errors.ts'
import { findCodes, identityKey, type LinkRow, linksOf, takenSlugs } from './importing.store.ts'
import { type LinkRow as GivenRow, nameFor, readRow, type RowProblem, withoutEchoes } from './rows.rules.ts'

/** The columns of a link that an import sets. */
export type LinkChange = Partial<Omit<LinkRow, 'qrCodeId'>>

interface Shown {
  readonly name: string
  readonly target: string
  readonly slug: string | null
}

interface CheckedRow {
  readonly row: number
  readonly shown: Shown
  readonly link: LinkChange
}
export interface Created extends CheckedRow {
  readonly action: 'CREATE'
  readonly code: NewCode
  readonly slug: string | undefined
  readonly createdAt: number | undefined
  /** See `withDesigns`. */
  readonly designId: number | null
}
export interface Updated extends CheckedRow {
  readonly action: 'UPDATE' | 'UNCHANGED'
  readonly id: number
  readonly change: CodeChange
}
/** A row without problems. */
export type Checked = Created | Updated

export interface CheckOptions {
  readonly mode: 'CREATE' | 'UPDATE' | 'UPSERT'
  readonly clearEmpty: boolean
  readonly keepSlugs: boolean
  readonly zone: string
  readonly categoryId: number | null
}

const checkNew = itemChecker(NewQrCode)
const checkChange = itemChecker(UpdateQrCode)
const checkLink = valueChecker(UpdateLink)

export class RowChecker {
  total = 0
  /** Rows by the slugs of new codes, and by the ids of codes that change. */
  readonly #slugs = new Map<string, number>()
  readonly #ids = new Map<number, number>()
  #problems: RowProblem[] = []
  readonly #drawn: { readonly row: GivenRow; readonly designId: number; readonly content: string }[] = []

  private constructor(
    readonly ctx: AppContext,
    readonly owner: Owner,
    readonly columns: Columns,
    readonly options: CheckOptions,
    readonly mayPublish: boolean,
    readonly facts: Facts,
  ) {}

  static async open(ctx: AppContext, owner: Owner, columns: Columns, options: CheckOptions): Promise<RowChecker> {
    const facts = { now: ctx.clock.now(), targets: await targetRules(ctx), hasCountries: hasCountries(ctx) }
    return new RowChecker(ctx, owner, columns, options, await mayPublish(ctx, owner), facts)
  }

  async check(rows: readonly SheetRow[]): Promise<{ items: Checked[]; problems: RowProblem[] }> {
    this.total += rows.length
    this.#problems = []
    const db = this.ctx.db.read
    const given = rows.map((row) => readRow(row, this.columns, this.options))
    for (const { problems } of given) this.#problems.push(...problems)
    const existing = await this.#existingOf(db, given)
    const links = await linksOf(
      db,
      [...existing.values()].map(({ id }) => id),
    )
    const taken = await takenSlugs(
      db,
      given.flatMap((row) => (row.slug !== undefined && !existing.has(row.row) ? [row.slug] : [])),
    )
    const items = given.map((row) => {
      const code = existing.get(row.row)
      if (code !== undefined) return this.#update(row, code, links.get(code.id))
      if (this.options.mode === 'UPDATE') return this.#refuse(row, identityColumn(this.columns), errors.unknownCode)
      return this.#create(row, taken)
    })
    const failed = new Set(this.#problems.map(({ row }) => row))
    return {
      items: items.filter((item) => item !== undefined && !failed.has(item.row)) as Checked[],
      problems: this.#problems.toSorted((a, b) => a.row - b.row),
    }
  }

  #refuse(row: GivenRow, key: Key | null, text: Localized): undefined {
    this.#problems.push({ row: row.row, key, text })
  }

  #refuseAll(row: GivenRow, problems: readonly FieldProblem[]): void {
    for (const { path, text } of problems) this.#refuse(row, keyIn(path), text)
  }

  /** By row. */
  async #existingOf(db: Db, rows: readonly GivenRow[]): Promise<Map<number, QrCodeRow>> {
    if (this.options.mode === 'CREATE') return new Map()
    const found = await findCodes(
      db,
      this.owner,
      rows.flatMap(({ identity }) => identity ?? []),
    )
    return new Map(
      rows.flatMap(({ row, identity }) => {
        const code = identity && found.get(identityKey(identity))
        return code === undefined ? [] : [[row, code] as const]
      }),
    )
  }

  #create(row: GivenRow, taken: ReadonlySet<string>): Checked | undefined {
    const { content } = row.code
    if (content === undefined) return this.#refuse(row, 'target', errors.targetNeeded)
    if (row.createdAt !== undefined && row.createdAt > this.ctx.clock.now())
      this.#refuse(row, 'createdAt', errors.inFuture)
    const isPublic = this.mayPublish && row.code.isPublic !== false
    const input = {
      ...row.code,
      name: row.code.name ?? nameFor(content),
      isPublic,
      isDynamic: true,
      ...(this.options.categoryId !== null && { categoryId: this.options.categoryId }),
    }
    const [checked] = checkNew([input], 'rows')
    this.#refuseAll(row, checked!.problems)
    const slug = this.#newSlug(row, taken)
    const link = this.#linkOf(row, undefined, undefined)
    if (checked!.value === undefined) return undefined
    this.#checkContent(row, content, { level: undefined, leads: true })
    const code = newCode(checked!.value, this.mayPublish)
    const shown = { name: code.name, target: code.content, slug: slug ?? null }
    return { row: row.row, action: 'CREATE', code, slug, createdAt: row.createdAt, designId: null, link, shown }
  }

  #checkContent(
    row: GivenRow,
    content: string,
    { level, leads }: { readonly level: Level | undefined; readonly leads: boolean },
  ): void {
    const problem =
      contentProblem(content, level, 'rows.0.content') ??
      (leads ? contentTargetProblem(content, 'rows.0.content', this.facts.targets) : undefined)
    if (problem !== undefined) this.#refuseAll(row, [problem])
  }

  /** Notes a picture with a design that the change would give other modules. */
  #noteDesign(row: GivenRow, code: QrCodeRow, change: CodeChange): void {
    const content = pictureContent(this.ctx, { ...code, ...change })
    if (code.designId !== null && content !== pictureContent(this.ctx, code))
      this.#drawn.push({ row, designId: code.designId, content })
  }

  /** After the last row: the problems of contents that cannot be read with the designs of their codes. Reads a picture of each size of symbol. */
  async unreadable(): Promise<RowProblem[]> {
    this.#problems = []
    for (const [id, drawn] of Map.groupBy(this.#drawn, ({ designId }) => designId)) {
      const design = await findDesign(this.ctx.db.read, ownerKey(this.owner), id)
      if (design === undefined) continue
      const samples = drawn.map(({ row, content }) => ({ content, of: row }))
      for (const { problem, codes } of await findUnreadable(this.ctx, this.owner.userId, design.look, samples, 'body'))
        for (const row of codes) this.#refuse(row, 'target', problem.text)
    }
    return this.#problems
  }

  /** The design of new codes of an organization, if they can be read with it. */
  async withDesigns(items: readonly Checked[]): Promise<Checked[]> {
    const created = items.filter((item) => item.action === 'CREATE')
    const drawn = created.map(({ code, slug = null }) => {
      const { name, content } = code
      return { input: { name, content, slug }, code, where: 'rows' }
    })
    const { designIds } = await chooseDesigns(this.ctx, this.owner, drawn)
    const given = new Map(created.map((item, i) => [item.row, { ...item, designId: designIds[i]! }]))
    return items.map((item) => given.get(item.row) ?? item)
  }

  /** The slug of a new code; undefined for one that is drawn by lot. */
  #newSlug(row: GivenRow, taken: ReadonlySet<string>): string | undefined {
    const { slug } = row
    if (slug === undefined) return undefined
    // Other services distinguish capitals. Only pictures of ours hold a slug all in upper case.
    const key = slug === slug.toUpperCase() ? slug.toLowerCase() : slug
    const first = this.#slugs.get(key)
    const problem =
      importedSlugProblem(slug) ??
      (taken.has(slug) ? slugTaken('').text : undefined) ??
      (first === undefined ? undefined : errors.repeatedSlug(first))
    if (problem === undefined) {
      this.#slugs.set(key, row.row)
      return slug
    }
    if (this.options.keepSlugs) this.#refuse(row, this.columns.at.has('slug') ? 'slug' : 'shortUrl', problem)
    return undefined
  }

  #update(row: GivenRow, code: QrCodeRow, link: LinkRow | undefined): Checked | undefined {
    const first = this.#ids.get(code.id)
    if (first !== undefined) return this.#refuse(row, identityColumn(this.columns), errors.repeatedCode(first))
    this.#ids.set(code.id, row.row)
    const [checked] = checkChange([withoutEchoes(row.code, code)], 'rows')
    this.#refuseAll(row, checked!.problems)
    const linkChange = this.#linkOf(row, code, link)
    if (checked!.value === undefined) return undefined
    if (row.code.isPublic === true && !code.isPublic && !this.mayPublish)
      return this.#refuse(row, 'isPublic', mayNotPublish().text)
    const change = differences(
      code,
      changeOf(code, checked!.value, styleView(pictureContent(this.ctx, code), code.style)),
    )
    const [opens, wished] = [opensOf(code), checked!.value.opens]
    if (opens !== null && wished != null && wished !== opens) change.opens = wished
    if (change.content !== undefined) {
      this.#checkContent(row, change.content, { level: code.style.level, leads: opens !== null })
      this.#noteDesign(row, code, change)
    }
    const isChanged = Object.keys(change).length + Object.keys(linkChange).length > 0
    const shown = { name: change.name ?? code.name, target: change.content ?? code.content, slug: code.slug }
    return { row: row.row, action: isChanged ? 'UPDATE' : 'UNCHANGED', id: code.id, change, link: linkChange, shown }
  }

  /** The columns of a link that the row changes. */
  #linkOf(row: GivenRow, code: QrCodeRow | undefined, stored: LinkRow | undefined): LinkChange {
    const link = stored ?? PLAIN
    const earlier = row.earlierScans !== undefined && row.earlierScans !== (stored?.earlierScans ?? 0)
    if (!earlier && Object.values(row.link).every((value) => value === undefined)) return {}
    const given = { ...row.link }
    // Tables have whole seconds.
    if (given.expiresAt != null && given.expiresAt === Math.trunc((link.expiresAt ?? 0) / SECOND) * SECOND)
      delete given.expiresAt
    const { value, problems } = checkLink(given, 'body')
    if (value === undefined) this.#refuseAll(row, problems)
    // A link that had expired at its last service comes along as it was.
    else this.#refuseAll(row, linkProblems(link, value, code === undefined ? { ...this.facts, now: 0 } : this.facts))
    const change = value === undefined ? {} : linkChangeOf(link, value, undefined)
    const all = { ...change, ...(earlier && { earlierScans: row.earlierScans! }) }
    if (code?.slug === null && Object.keys(all).length > 0) this.#refuse(row, null, errors.noShortLink)
    return all as LinkChange
  }
}

/** Slugs of other services may have capitals and underscores, and be longer and shorter than those that users choose here. */
function importedSlugProblem(slug: string): Localized | undefined {
  if (slug.length > MAX_SLUG || !/^[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?$/.test(slug)) return errors.slugMalformed
  return isReserved(slug.toLowerCase()) ? slugReserved('').text : undefined
}

const MAX_SLUG = 100

const identityColumn = ({ at }: Columns): Key =>
  (['slug', 'shortUrl', 'uuid', 'publicUrl', 'id'] as const).find((key) => at.has(key)) ?? 'id'

const KEYS: Readonly<Record<string, Key>> = { content: 'target' }

/** The column of `rows.<n>.<name>` or `body.<name>`. */
function keyIn(path: string): Key | null {
  const [first, ...rest] = path.split('.')
  const name = first === 'body' ? rest[0] : rest[1]
  return name === undefined ? null : (KEYS[name] ?? (name as Key))
}

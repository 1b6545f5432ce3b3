/** Decisions about asset categories. Pure. */

/** The templates of a category in their order, and the one whose fields come first. */
export interface Templates {
  readonly templateIds: readonly number[]
  readonly defaultTemplateId: number | null
}

export const NO_TEMPLATES: Templates = { templateIds: [], defaultTemplateId: null }

/**
 * The templates after a write. A default that was not asked for stays if it is still one of them; otherwise the first one is the default.
 * Undefined if the default that was asked for is not one of them.
 */
export function templatesAfter(
  before: Templates,
  given: { readonly templateIds?: readonly number[] | null; readonly defaultTemplateId?: number | null },
): Templates | undefined {
  const templateIds = given.templateIds === undefined ? before.templateIds : (given.templateIds ?? [])
  const wanted = given.defaultTemplateId === undefined ? undefined : given.defaultTemplateId
  if (wanted != null) return templateIds.includes(wanted) ? { templateIds, defaultTemplateId: wanted } : undefined
  const kept = wanted === undefined && templateIds.includes(before.defaultTemplateId!) ? before.defaultTemplateId : null
  return { templateIds, defaultTemplateId: kept ?? templateIds[0] ?? null }
}

export const sameTemplates = (a: Templates, b: Templates): boolean =>
  a.defaultTemplateId === b.defaultTemplateId &&
  a.templateIds.length === b.templateIds.length &&
  a.templateIds.every((id, i) => id === b.templateIds[i])

export interface Node {
  readonly id: number
  readonly parentId: number | null
  readonly shared: boolean
  readonly userId: number
}

/** Members without the point to manage categories who see one: everyone, only the user with this id, or nobody. */
export type Audience = 'EVERYONE' | 'NOBODY' | number

/** The audience of each category: it is not seen by others than its creator if it is not shared, nor is anything below it. */
export function audiencesOf(rows: readonly Node[]): Map<number, Audience> {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const known = new Map<number, Audience>()
  const find = (row: Node): Audience => {
    const answer = known.get(row.id)
    if (answer !== undefined) return answer
    // Ends the walk if the table holds a cycle, which only another program can write.
    known.set(row.id, 'NOBODY')
    const parent = row.parentId === null ? undefined : byId.get(row.parentId)
    const above = parent === undefined ? 'EVERYONE' : find(parent)
    const audience = row.shared || above === row.userId ? above : above === 'EVERYONE' ? row.userId : 'NOBODY'
    known.set(row.id, audience)
    return audience
  }
  for (const row of rows) find(row)
  return known
}

/** The categories that a member without the point to manage them sees. */
export function visibleTo<Row extends Node>(userId: number, rows: readonly Row[]): Row[] {
  const audiences = audiencesOf(rows)
  return rows.filter(({ id }) => audiences.get(id) === 'EVERYONE' || audiences.get(id) === userId)
}

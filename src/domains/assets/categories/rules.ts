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

interface Node {
  readonly id: number
  readonly parentId: number | null
  readonly shared: boolean
  readonly userId: number
}

/** The categories that a member without the point to manage them sees: not those that others keep to themselves, nor anything below them. */
export function visibleTo<Row extends Node>(userId: number, rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const known = new Map<number, boolean>()
  const isVisible = (row: Row): boolean => {
    const answer = known.get(row.id)
    if (answer !== undefined) return answer
    // Ends the walk if the table holds a cycle, which only another program can write.
    known.set(row.id, false)
    const parent = row.parentId === null ? undefined : byId.get(row.parentId)
    const visible = (row.shared || row.userId === userId) && (parent === undefined || isVisible(parent))
    known.set(row.id, visible)
    return visible
  }
  return rows.filter(isVisible)
}

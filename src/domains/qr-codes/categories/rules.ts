import type { CategoryNode, CategoryView } from './model.ts'

/** Whether a branch of `height` levels may hang below a category that stands on level `parentLevel` (0: the top). */
export const fitsBelow = (parentLevel: number, height: number, maxDepth: number): boolean =>
  parentLevel + height <= maxDepth

/** Nests categories, keeping their order. Those whose parent is not among them stand on top. */
export function treeOf(categories: readonly CategoryView[]): CategoryNode[] {
  const nodes = new Map<number, CategoryNode>()
  for (const category of categories) nodes.set(category.id, { ...category, children: [] })
  const top: CategoryNode[] = []
  for (const node of nodes.values()) {
    const parent = node.parentId === null ? undefined : nodes.get(node.parentId)
    ;(parent?.children ?? top).push(node)
  }
  return top
}

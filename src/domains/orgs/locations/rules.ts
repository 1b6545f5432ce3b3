import type { LocationNode, LocationView } from './model.ts'

/** Whether a branch of `height` levels may hang below a location on level `parentLevel` (0: the top). */
export const fitsBelow = (parentLevel: number, height: number, maxDepth: number): boolean =>
  parentLevel + height <= maxDepth

/** Nests locations, keeping their order. Those whose parent is not among them stand on top. */
export function treeOf(locations: readonly LocationView[]): LocationNode[] {
  const nodes = new Map<number, LocationNode>()
  for (const location of locations) nodes.set(location.id, { ...location, children: [] })
  const top: LocationNode[] = []
  for (const node of nodes.values()) {
    const parent = node.parentId === null ? undefined : nodes.get(node.parentId)
    ;(parent?.children ?? top).push(node)
  }
  return top
}

/** Trees of categories, folders and locations as lists of their nodes. */

export interface TreeNode {
  readonly id: number
  readonly parentId: number | null
  readonly name: string
  readonly pinned: boolean
  readonly children: readonly TreeNode[]
}

/** A node of a tree, with its level from 0 and the names from the top: `IT / Laptops`. */
export interface Place<N extends TreeNode = TreeNode> {
  readonly id: number
  readonly name: string
  readonly depth: number
  readonly path: string
  readonly node: N
}

/** All nodes, each followed by those below it. */
export function flatten<N extends TreeNode>(nodes: readonly N[], depth = 0, above = ''): Place<N>[] {
  return nodes.flatMap((node) => {
    const path = above === '' ? node.name : `${above} / ${node.name}`
    return [{ id: node.id, name: node.name, depth, path, node }, ...flatten(node.children as N[], depth + 1, path)]
  })
}

/** The nodes with the same parent, the node itself included. */
export function siblingsOf<N extends TreeNode>(tree: readonly N[], { parentId }: N): readonly N[] {
  if (parentId === null) return tree
  return (flatten(tree).find(({ id }) => id === parentId)?.node.children ?? []) as readonly N[]
}

/**
 * Nodes below which `moved` can be put: not below itself, and not so deep that its own nodes would exceed the levels of the tree.
 * A new node (undefined) needs one level.
 */
export function possibleParents<N extends TreeNode>(
  tree: readonly N[],
  moved: N | undefined,
  maxDepth: number,
): Place<N>[] {
  const own = moved === undefined ? [] : flatten([moved])
  const inside = new Set(own.map(({ id }) => id))
  const height = Math.max(0, ...own.map(({ depth }) => depth)) + 1
  return flatten(tree).filter(({ id, depth }) => !inside.has(id) && depth + 1 + height <= maxDepth)
}

/** Trees of nodes that name their parent: nesting them, and the rules for placing and ordering them. */

export interface TreeNode {
  readonly id: number
  /** Null at the top level. */
  readonly parentId: number | null
}

export type Nested<T> = T & { children: Nested<T>[] }

/** Nests nodes and keeps their order among siblings. A node whose parent is not in the list goes to the top level. */
export function treeOf<T extends TreeNode>(nodes: readonly T[]): Nested<T>[] {
  const byId = new Map<number, Nested<T>>()
  for (const node of nodes) byId.set(node.id, { ...node, children: [] })
  const top: Nested<T>[] = []
  for (const node of byId.values()) {
    const parent = node.parentId === null ? undefined : byId.get(node.parentId)
    ;(parent?.children ?? top).push(node)
  }
  return top
}

/** The names from the top level to each node, as exports write them: `Menus / Spring`. A node whose parent is missing begins a path. */
export function pathsOf(nodes: readonly (TreeNode & { readonly name: string })[]): Map<number, string> {
  const paths = new Map<number, string>()
  const visit = (tree: readonly Nested<TreeNode & { readonly name: string }>[], before: string): void => {
    for (const { id, name, children } of tree) {
      paths.set(id, before + name)
      visit(children, `${before}${name} / `)
    }
  }
  visit(treeOf(nodes), '')
  return paths
}

/** Reasons to refuse a change of a tree. Each domain has its own error for each of them. */
export type TreeProblem =
  | 'NODE_NOT_FOUND'
  | 'PARENT_NOT_FOUND'
  | 'INSIDE_ITSELF'
  | 'TOO_DEEP'
  | 'NOT_SIBLINGS'
  | 'NEITHER_IDS_NOR_ITEMS'
  | 'DUPLICATE_IDS'

/**
 * Whether a branch may be placed below a parent. `parentPath` holds the ids from the parent up to the top level, and is empty for
 * the top level itself; `branch` is the node on top of the branch (no id while it is new) and the number of levels it has.
 */
export function fitsBelow(
  parentPath: readonly number[],
  branch: { readonly id?: number; readonly height: number },
  maxDepth: number,
): TreeProblem | undefined {
  if (branch.id !== undefined && parentPath.includes(branch.id)) return 'INSIDE_ITSELF'
  return parentPath.length + branch.height > maxDepth ? 'TOO_DEEP' : undefined
}

export interface OrderItem {
  readonly id: number
  readonly sortOrder: number
}

/** The sort order asked for: `ids` get 1, 2, 3 … as they are listed, `items` name theirs. Exactly one of the two must be given. */
export function orderItems(input: {
  readonly ids?: readonly number[] | undefined
  readonly items?: readonly OrderItem[] | undefined
}): readonly OrderItem[] | TreeProblem {
  if ((input.ids === undefined) === (input.items === undefined)) return 'NEITHER_IDS_NOR_ITEMS'
  const items = input.items ?? input.ids!.map((id, i) => ({ id, sortOrder: i + 1 }))
  return new Set(items.map(({ id }) => id)).size === items.length ? items : 'DUPLICATE_IDS'
}

/** The menu of a node of a tree: add below, change, move, pin, order, delete. */

import {
  ArrowDownward,
  ArrowUpward,
  Delete,
  DriveFileMoveOutlined,
  Edit,
  MoreVert,
  PushPinOutlined,
  SubdirectoryArrowRight,
} from '@mui/icons-material'
import { Divider } from '@mui/material'

import { texts, useTexts } from '../../i18n/words.ts'
import { IconMenu, MenuEntry } from '../MenuButton.tsx'
import type { TreeNode } from './tree.ts'

const words = texts({
  en: {
    actions: (name: string) => `Actions for ${name}`,
    move: 'Move',
    pin: 'Pin to the top',
    unpin: 'Unpin',
    up: 'Move up',
    down: 'Move down',
    delete: 'Delete',
  },
  zh: {
    actions: (name: string) => `“${name}”的操作`,
    move: '移动',
    pin: '置顶',
    unpin: '取消置顶',
    up: '上移',
    down: '下移',
    delete: '删除',
  },
})

/** The entries of the menu. An action that the user may not do is left out. */
export interface TreeActions<N extends TreeNode> {
  /** Levels that the tree can have. */
  maxDepth: number
  /** The words for adding a node below another one, and for changing a node. */
  names: { add: string; edit: string }
  onAdd?: ((parent: N) => void) | undefined
  onEdit?: ((node: N) => void) | undefined
  onMove?: ((node: N) => void) | undefined
  onPin?: ((node: N, pinned: boolean) => void) | undefined
  /** Takes the ids of all nodes of one parent in their new order. */
  onOrder?: ((ids: number[]) => void) | undefined
  onDelete?: ((node: N) => void) | undefined
  /** True while an order is stored: the next one would be computed from the old one. */
  isOrdering?: boolean
}

export interface NodeMenuProps<N extends TreeNode> extends TreeActions<N> {
  node: N
  depth: number
  /** All nodes of its parent. */
  siblings: readonly N[]
}

export function NodeMenu<N extends TreeNode>(props: NodeMenuProps<N>) {
  const { node, depth, siblings, maxDepth, names, isOrdering = false } = props
  const { onAdd, onEdit, onMove, onPin, onOrder, onDelete } = props
  const t = useTexts(words)
  if (![onAdd, onEdit, onMove, onPin, onOrder, onDelete].some(Boolean)) return null

  // Pinned nodes are always first, so only those of the same kind change places.
  const peers = siblings.filter(({ pinned }) => pinned === node.pinned)
  const at = peers.findIndex(({ id }) => id === node.id)
  const swap = (by: number) => {
    const other = peers[at + by]!.id
    onOrder!(siblings.map(({ id }) => (id === node.id ? other : id === other ? node.id : id)))
  }
  const item = (Icon: typeof Edit, text: string, act: () => void, isOff = false) => (
    <MenuEntry key={text} icon={<Icon />} text={text} disabled={isOff} onClick={act} />
  )
  return (
    <IconMenu label={t.actions(node.name)} icon={<MoreVert />} sx={{ width: 44, height: 44 }}>
      {onAdd && depth + 1 < maxDepth && item(SubdirectoryArrowRight, names.add, () => onAdd(node))}
      {onEdit && item(Edit, names.edit, () => onEdit(node))}
      {onMove && item(DriveFileMoveOutlined, t.move, () => onMove(node))}
      {onPin && item(PushPinOutlined, node.pinned ? t.unpin : t.pin, () => onPin(node, !node.pinned))}
      {onOrder && at > 0 && item(ArrowUpward, t.up, () => swap(-1), isOrdering)}
      {onOrder && at < peers.length - 1 && item(ArrowDownward, t.down, () => swap(1), isOrdering)}
      {onDelete && <Divider />}
      {onDelete && item(Delete, t.delete, () => onDelete(node))}
    </IconMenu>
  )
}

/** A tree whose nodes have a menu. Each level is a list inside the node above it. */

import { PushPin } from '@mui/icons-material'
import { Box } from '@mui/material'
import type { ReactNode } from 'react'

import { texts, useTexts } from '../../i18n/words.ts'
import { NodeMenu, type TreeActions } from './NodeMenu.tsx'
import type { TreeNode } from './tree.ts'

const words = texts({ en: { pinned: 'Pinned' }, zh: { pinned: '已置顶' } })

export interface TreeEditorProps<N extends TreeNode> extends TreeActions<N> {
  label: string
  tree: readonly N[]
  /** Draws a node, between the left edge and its menu. */
  children: (node: N) => ReactNode
}

export function TreeEditor<N extends TreeNode>({ label, tree, children, ...actions }: TreeEditorProps<N>) {
  return <Level label={label} nodes={tree} depth={0} actions={actions} draw={children} />
}

interface LevelProps<N extends TreeNode> {
  label?: string
  nodes: readonly N[]
  depth: number
  actions: TreeActions<N>
  draw: (node: N) => ReactNode
}

function Level<N extends TreeNode>({ label, nodes, depth, actions, draw }: LevelProps<N>) {
  const t = useTexts(words)
  return (
    <Box component="ul" aria-label={label} sx={{ listStyle: 'none', m: 0, p: 0 }}>
      {nodes.map((node, index) => (
        <Box component="li" key={node.id}>
          <Box
            sx={{
              display: 'flex',
              alignItems: 'center',
              gap: 1,
              minHeight: 52,
              py: 0.5,
              pl: { xs: 1.5 + depth * 2, sm: 2 + depth * 3 },
              pr: 1,
              ...((depth > 0 || index > 0) && { borderTop: 1, borderColor: 'divider' }),
            }}
          >
            <Box sx={{ flex: 1, minWidth: 0 }}>{draw(node)}</Box>
            {node.pinned && <PushPin fontSize="small" color="primary" titleAccess={t.pinned} />}
            <NodeMenu {...actions} node={node} depth={depth} siblings={nodes} />
          </Box>
          {node.children.length > 0 && (
            <Level nodes={node.children as readonly N[]} depth={depth + 1} actions={actions} draw={draw} />
          )}
        </Box>
      ))}
    </Box>
  )
}

/** Moves a node of a tree below another one, or to the top level. */

import { useState } from 'react'

import { texts, useTexts } from '../../i18n/words.ts'
import { FormDialog } from '../dialogs.tsx'
import { PlacePicker } from './PlacePicker.tsx'
import { possibleParents, type TreeNode } from './tree.ts'

const words = texts({
  en: { title: (name: string) => `Move “${name}”`, into: 'Into', top: 'Top level', move: 'Move' },
  zh: { title: (name: string) => `移动“${name}”`, into: '移动到', top: '顶级', move: '移动' },
})

interface MoveNodeProps<N extends TreeNode> {
  node: N
  tree: readonly N[]
  maxDepth: number
  isBusy: boolean
  error: unknown
  onMove: (parentId: number | null) => void
  onClose: () => void
}

export function MoveNodeDialog<N extends TreeNode>(props: MoveNodeProps<N>) {
  const { node, tree, maxDepth, isBusy, error, onMove, onClose } = props
  const t = useTexts(words)
  const [into, setInto] = useState(node.parentId ?? 0)
  return (
    <FormDialog
      isOpen
      title={t.title(node.name)}
      action={t.move}
      isBusy={isBusy}
      error={error}
      onSubmit={() => onMove(into === 0 ? null : into)}
      onClose={onClose}
      maxWidth="xs"
    >
      <PlacePicker
        label={t.into}
        places={possibleParents(tree, node, maxDepth)}
        value={into}
        onChange={(id) => setInto(id ?? 0)}
        none={t.top}
      />
    </FormDialog>
  )
}

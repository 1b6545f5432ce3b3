/** Moves a node of a tree below another one, or to the top level. */

import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery } from '../../session/session.ts'
import { FormDialog } from '../dialogs.tsx'
import { useForm } from '../use-form.tsx'
import { PlacePicker } from './PlacePicker.tsx'
import { possibleParents, type TreeNode } from './tree.ts'

const words = texts({
  en: { title: (name: string) => `Move “${name}”`, into: 'Into', top: 'Top level', move: 'Move' },
  zh: { title: (name: string) => `移动“${name}”`, into: '移动到', top: '顶级', move: '移动' },
})

interface MoveNodeProps<N extends TreeNode> {
  operation: 'categories.move' | 'assetCategories.move'
  node: N
  tree: readonly N[]
  maxDepth: number
  /** Shown when it succeeded. */
  done: string
  onClose: () => void
}

export function MoveNodeDialog<N extends TreeNode>(props: MoveNodeProps<N>) {
  const { operation, node, tree, maxDepth, done, onClose } = props
  const t = useTexts(words)
  const form = useForm(
    operation,
    { parentId: node.parentId ?? 0 },
    {
      done,
      onDone: onClose,
      input: ({ parentId }) => ({
        params: { id: node.id },
        query: ownerQuery(),
        body: { parentId: parentId === 0 ? null : parentId },
      }),
    },
  )
  return (
    <FormDialog form={form} title={t.title(node.name)} action={t.move} onClose={onClose} maxWidth="xs">
      <PlacePicker
        {...form.pick('parentId', { label: t.into })}
        onChange={(id) => form.set({ parentId: id ?? 0 })}
        places={possibleParents(tree, node, maxDepth)}
        none={t.top}
        required={false}
      />
    </FormDialog>
  )
}

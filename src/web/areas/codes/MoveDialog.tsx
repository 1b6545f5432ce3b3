/** Chooses the folder of one or several codes. */

import { List, ListItemButton, ListItemText, Radio } from '@mui/material'

import { call } from '../../api/client.ts'
import type { QrCode } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwnerQuery } from '../../session/session.ts'
import { Answer } from '../../ui/Answer.tsx'
import { BulkState } from '../../ui/bulk/BulkState.tsx'
import { useBulk } from '../../ui/bulk/use-bulk.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { flatten } from '../../ui/tree/tree.ts'
import { useForm } from '../../ui/use-form.tsx'
import { useFolders } from './folders.ts'
import { codeWords } from './words.ts'

const words = texts({
  en: {
    title: (n: number) => (n === 1 ? 'Move to a folder' : `Move ${n} codes to a folder`),
    move: 'Move',
    done: (n: number) => (n === 1 ? 'Moved.' : `${n} codes moved.`),
    none: 'You have no folders yet. Create one on the page of your codes.',
  },
  zh: {
    title: (n: number) => (n === 1 ? '移动到文件夹' : `移动 ${n} 个二维码`),
    move: '移动',
    done: (n: number) => (n === 1 ? '已移动。' : `已移动 ${n} 个二维码。`),
    none: '还没有文件夹，请先在二维码页面新建。',
  },
})

export interface MoveDialogProps {
  codes: readonly QrCode[]
  /** Called with the codes that stayed where they are. */
  onMoved?: (left: readonly QrCode[]) => void
  onClose: () => void
}

export default function MoveDialog({ codes, onMoved, onClose }: MoveDialogProps) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const owned = useOwnerQuery()
  const folders = useFolders()
  const bulk = useBulk('qrCodes', 'categories')
  const form = useForm(
    'qrCodes.update',
    { categoryId: codes[0]?.categoryId ?? null },
    {
      // Read again when all are moved.
      refreshes: [],
      async send({ body }) {
        const move = ({ id }: QrCode) => call('qrCodes.update', { params: { id }, query: owned, body })
        const left = await bulk.run(codes, move, t.done, ({ name }) => name)
        if (left.length === 0) onClose()
        onMoved?.(left)
        return { ...codes[0]!, warnings: [] }
      },
    },
  )
  const { categoryId } = form.values
  const choose = (id: number | null) => () => form.set({ categoryId: id })
  return (
    <FormDialog form={form} title={t.title(codes.length)} action={t.move} onClose={onClose} maxWidth="xs">
      <Answer query={folders}>
        {(tree) => (
          <List disablePadding aria-label={shared.folder}>
            <Choice name={shared.noFolder} depth={0} isChosen={categoryId === null} onChoose={choose(null)} />
            {flatten(tree).map(({ node, depth }) => (
              <Choice
                key={node.id}
                name={node.name}
                depth={depth}
                isChosen={categoryId === node.id}
                onChoose={choose(node.id)}
              />
            ))}
            {tree.length === 0 && <ListItemText secondary={t.none} />}
          </List>
        )}
      </Answer>
      <BulkState bulk={bulk} />
    </FormDialog>
  )
}

interface ChoiceProps {
  name: string
  depth: number
  isChosen: boolean
  onChoose: () => void
}

const Choice = ({ name, depth, isChosen, onChoose }: ChoiceProps) => (
  <ListItemButton
    onClick={onChoose}
    selected={isChosen}
    sx={{ pl: 1 + depth * 3, minHeight: 44 }}
    tabIndex={-1}
    component="label"
  >
    <Radio name="folder" checked={isChosen} onChange={onChoose} slotProps={{ input: { 'aria-label': name } }} />
    <ListItemText>{name}</ListItemText>
  </ListItemButton>
)

/** The folders of the user beside the list of codes, and on phones in a drawer. */

import { Add, AllInbox, Folder as FolderIcon, FolderOff, PushPin } from '@mui/icons-material'
import { Box, Button, List, ListItem, ListItemButton, ListItemIcon, ListItemText, Typography } from '@mui/material'
import { useEffect, useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import type { CategoryNode } from '../../api/types.ts'
import { number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Nothing, part } from '../../ui/part.tsx'
import { NodeMenu, type TreeActions } from '../../ui/tree/NodeMenu.tsx'
import { flatten, siblingsOf } from '../../ui/tree/tree.ts'
import { countCodes, MAX_DEPTH, useFolders } from './folders.ts'

/** This is the first list of most people, so the dialogs are loaded after it. */
const dialogs = () => import('./FolderDialogs.tsx')
const EditFolder = part(async () => ({ default: (await dialogs()).EditFolder }), Nothing)
const MoveFolder = part(async () => ({ default: (await dialogs()).MoveFolder }), Nothing)
const DeleteFolder = part(async () => ({ default: (await dialogs()).DeleteFolder }), Nothing)

const words = texts({
  en: {
    folders: 'Folders',
    all: 'All codes',
    none: 'Without folder',
    create: 'New folder',
    createIn: 'New folder inside',
    edit: 'Name and colour',
    pinned: 'pinned',
  },
  zh: {
    folders: '文件夹',
    all: '全部二维码',
    none: '未分类',
    create: '新建文件夹',
    createIn: '新建子文件夹',
    edit: '名称和颜色',
    pinned: '已置顶',
  },
})

/** The folder whose codes are shown: an id, 0 for codes without one, undefined for all. */
export type ShownFolder = number | undefined

interface Action {
  kind: 'create' | 'edit' | 'move' | 'delete'
  /** The folder that is changed; for `create` the one above, null at the top level. */
  node: CategoryNode | null
}

export function FolderPanel({ shown, onShow }: { shown: ShownFolder; onShow: (folder: ShownFolder) => void }) {
  const t = useTexts(words)
  const may = useMay()
  const folders = useFolders()
  const [action, setAction] = useState<Action>()
  // One that fails is tried again when a dialog is opened.
  useEffect(() => void dialogs().catch(() => undefined), [])
  const close = () => setAction(undefined)
  const open = (kind: Action['kind']) => (node: CategoryNode) => setAction({ kind, node })
  const reorder = useAction('categories.reorder')
  const pin = useAction('categories.pin')
  const actions: TreeActions<CategoryNode> = {
    maxDepth: MAX_DEPTH,
    names: { add: t.createIn, edit: t.edit },
    isOrdering: reorder.isPending,
    ...(may('categories.create') && { onAdd: open('create') }),
    ...(may('categories.update') && {
      onEdit: open('edit'),
      onMove: open('move'),
      onPin: ({ id }, pinned) => pin.mutate({ params: { id }, body: { pinned } }),
      onOrder: (ids) => reorder.mutate({ body: { ids } }),
    }),
    ...(may('categories.delete') && { onDelete: open('delete') }),
  }
  const node = action?.node ?? null
  return (
    <Box component="nav" aria-label={t.folders}>
      <Typography variant="h2" sx={{ px: 1, pb: 0.5 }}>
        {t.folders}
      </Typography>
      <List dense disablePadding>
        <Entry icon={<AllInbox />} name={t.all} isShown={shown === undefined} onShow={() => onShow(undefined)} />
        <Entry icon={<FolderOff />} name={t.none} isShown={shown === 0} onShow={() => onShow(0)} />
      </List>
      <Answer query={folders}>
        {(tree) => (
          <List dense disablePadding>
            {flatten(tree).map((folder) => (
              <Entry
                key={folder.node.id}
                icon={<FolderIcon sx={{ color: folder.node.color }} />}
                name={folder.node.name}
                note={folder.node.pinned ? t.pinned : undefined}
                count={countCodes(folder.node)}
                depth={folder.depth}
                isShown={shown === folder.node.id}
                onShow={() => onShow(folder.node.id)}
                menu={
                  <NodeMenu
                    {...actions}
                    node={folder.node}
                    depth={folder.depth}
                    siblings={siblingsOf(tree, folder.node)}
                  />
                }
              />
            ))}
          </List>
        )}
      </Answer>
      {may('categories.create') && (
        <Button startIcon={<Add />} onClick={() => setAction({ kind: 'create', node: null })} sx={{ mt: 0.5 }}>
          {t.create}
        </Button>
      )}
      {action?.kind === 'create' && <EditFolder parent={node} onClose={close} />}
      {action?.kind === 'edit' && node !== null && <EditFolder folder={node} parent={null} onClose={close} />}
      {action?.kind === 'move' && node !== null && <MoveFolder folder={node} onClose={close} />}
      {action?.kind === 'delete' && node !== null && (
        <DeleteFolder
          folder={node}
          onClose={(isDeleted) => {
            close()
            if (isDeleted && shown === node.id) onShow(undefined)
          }}
        />
      )}
    </Box>
  )
}

interface EntryProps {
  icon: React.ReactNode
  name: string
  note?: string | undefined
  count?: number
  depth?: number
  isShown: boolean
  onShow: () => void
  menu?: React.ReactNode
}

const Entry = ({ icon, name, note, count, depth = 0, isShown, onShow, menu }: EntryProps) => (
  <ListItem disablePadding secondaryAction={menu}>
    <ListItemButton
      selected={isShown}
      aria-current={isShown ? 'page' : undefined}
      onClick={onShow}
      sx={{ minHeight: 44, borderRadius: 2, pl: 1 + depth * 2 }}
    >
      <ListItemIcon sx={{ minWidth: 34 }}>{icon}</ListItemIcon>
      <ListItemText sx={{ overflowWrap: 'anywhere' }}>
        {name}
        {note !== undefined && <PushPin titleAccess={note} sx={{ fontSize: 14, ml: 0.5, verticalAlign: 'middle' }} />}
      </ListItemText>
      {count !== undefined && (
        <Typography variant="body2" color="text.secondary" sx={{ pl: 1 }}>
          {number(count)}
        </Typography>
      )}
    </ListItemButton>
  </ListItem>
)

/** Dialogs that create, change, move and delete folders. */

import { Box, TextField, Typography } from '@mui/material'

import { useAction, useCall } from '../../api/hooks.ts'
import type { CategoryNode } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer } from '../../ui/Answer.tsx'
import { ConfirmDialog, FormDialog, NoticeDialog } from '../../ui/dialogs.tsx'
import { MoveNodeDialog } from '../../ui/tree/MoveNodeDialog.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { MAX_DEPTH, useFolders } from './folders.ts'

const words = texts({
  en: {
    ...common.en,
    create: 'New folder',
    createIn: (name: string) => `New folder in “${name}”`,
    edit: 'Edit folder',
    created: 'Folder created.',
    saved: 'Folder changed.',
    moved: 'Folder moved.',
    deleteTitle: (name: string) => `Delete the folder “${name}”?`,
    delete: 'Delete folder',
    deleted: 'Folder deleted.',
    codes: (n: number) =>
      n === 0
        ? 'The folder is empty.'
        : `The ${n === 1 ? 'code' : `${n} codes`} in it will not be deleted, but left without a folder.`,
    children: (n: number) =>
      `The folder contains ${n === 1 ? 'a folder' : `${n} folders`}. Move or delete ${n === 1 ? 'it' : 'them'} first.`,
  },
  zh: {
    ...common.zh,
    create: '新建文件夹',
    createIn: (name: string) => `在“${name}”中新建文件夹`,
    edit: '编辑文件夹',
    created: '文件夹已新建。',
    saved: '文件夹已修改。',
    moved: '文件夹已移动。',
    deleteTitle: (name: string) => `删除文件夹“${name}”？`,
    delete: '删除文件夹',
    deleted: '文件夹已删除。',
    codes: (n: number) => (n === 0 ? '文件夹是空的。' : `其中的 ${n} 个二维码不会被删除，将变为未分类。`),
    children: (n: number) => `其中还有 ${n} 个子文件夹，请先移动或删除它们。`,
  },
})

/** Of new folders, one after the other. All can be seen on light and dark pages. */
const COLORS = ['#0b8a6f', '#2f6fd0', '#b06a00', '#c2414a', '#8250c8', '#607d8b']

export function EditFolder({
  folder,
  parent,
  onClose,
}: {
  /** Undefined: a new one. */
  folder?: CategoryNode
  /** The folder above a new one. */
  parent: CategoryNode | null
  onClose: () => void
}) {
  const t = useTexts(words)
  const form = useForm(
    folder === undefined ? 'categories.create' : 'categories.update',
    () => ({
      name: folder?.name ?? '',
      color: folder?.color || COLORS[Math.floor(Math.random() * COLORS.length)]!,
    }),
    {
      done: folder === undefined ? t.created : t.saved,
      onDone: onClose,
      input: (values) => ({
        params: folder === undefined ? {} : { id: folder.id },
        body: { ...values, ...(folder === undefined && { parentId: parent?.id ?? null }) },
      }),
    },
  )
  return (
    <FormDialog
      form={form}
      title={folder === undefined ? (parent === null ? t.create : t.createIn(parent.name)) : t.edit}
      action={t.save}
      onClose={onClose}
      maxWidth="xs"
    >
      <TextField {...form.text('name')} autoFocus />
      <TextField {...form.text('color')} type="color" />
    </FormDialog>
  )
}

export function MoveFolder({ folder, onClose }: { folder: CategoryNode; onClose: () => void }) {
  const t = useTexts(words)
  const { data: tree = [] } = useFolders()
  return (
    <MoveNodeDialog
      operation="categories.move"
      node={folder}
      tree={tree}
      maxDepth={MAX_DEPTH}
      done={t.moved}
      onClose={onClose}
    />
  )
}

export function DeleteFolder({ folder, onClose }: { folder: CategoryNode; onClose: (isDeleted: boolean) => void }) {
  const t = useTexts(words)
  const remove = useAction('categories.delete', {
    done: t.deleted,
    refreshes: ['categories', 'qrCodes'],
    quiet: true,
    onDone: () => onClose(true),
  })
  // A deleted folder is not asked for again.
  const enabled = !remove.isPending && !remove.isSuccess
  const check = useCall('categories.deletable', { params: { id: folder.id } }, { enabled })
  if (check.data?.deletable === false)
    return (
      <NoticeDialog title={t.deleteTitle(folder.name)} onClose={() => onClose(false)}>
        <Typography>{t.children(check.data.childCount)}</Typography>
      </NoticeDialog>
    )
  return (
    <ConfirmDialog
      isOpen
      title={t.deleteTitle(folder.name)}
      text={
        <Box sx={{ minHeight: 48 }}>
          <Answer query={check}>{({ codeCount }) => t.codes(codeCount)}</Answer>
        </Box>
      }
      action={t.delete}
      isBusy={remove.isPending || check.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { id: folder.id } })}
      onClose={() => onClose(false)}
    />
  )
}

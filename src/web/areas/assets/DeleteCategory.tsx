/** Deletes an asset category, or says that the categories below it must go first. */

import { Box, Typography } from '@mui/material'

import { useAction, useCall } from '../../api/hooks.ts'
import type { AssetCategoryNode } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery } from '../../session/session.ts'
import { Answer } from '../../ui/Answer.tsx'
import { ConfirmDialog, NoticeDialog } from '../../ui/dialogs.tsx'

const words = texts({
  en: {
    ...common.en,
    title: (name: string) => `Delete “${name}”?`,
    text: (n: number) =>
      n === 0
        ? 'The category has no assets. This cannot be undone.'
        : `Its ${n === 1 ? 'asset is' : `${n} assets are`} not deleted but will have no category. This cannot be undone.`,
    hasChildren: 'There are categories below it. Move or delete these first.',
    deleted: 'The category was deleted.',
  },
  zh: {
    ...common.zh,
    title: (name: string) => `删除“${name}”？`,
    text: (n: number) =>
      n === 0 ? '其中没有资产。此操作无法撤销。' : `其中 ${n} 件资产不会被删除，但将没有分类。此操作无法撤销。`,
    hasChildren: '该分类下还有分类，请先移走或删除它们。',
    deleted: '分类已删除。',
  },
})

export function DeleteCategory({ category, onClose }: { category: AssetCategoryNode; onClose: () => void }) {
  const t = useTexts(words)
  const remove = useAction('assetCategories.delete', {
    done: t.deleted,
    quiet: true,
    refreshes: ['assetCategories.tree', 'assets'],
    onDone: onClose,
  })
  // A deleted category is not asked for again.
  const enabled = !remove.isPending && !remove.isSuccess
  const check = useCall('assetCategories.deletable', { params: { id: category.id }, query: ownerQuery() }, { enabled })
  if (check.data?.deletable === false)
    return (
      <NoticeDialog isOpen title={t.title(category.name)} onClose={onClose}>
        <Typography>{t.hasChildren}</Typography>
      </NoticeDialog>
    )
  return (
    <ConfirmDialog
      isOpen
      title={t.title(category.name)}
      text={
        <Box sx={{ minHeight: 48 }}>
          <Answer query={check}>{({ assetCount }) => t.text(assetCount)}</Answer>
        </Box>
      }
      action={t.delete}
      isBusy={remove.isPending || check.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { id: category.id }, query: ownerQuery() })}
      onClose={onClose}
    />
  )
}

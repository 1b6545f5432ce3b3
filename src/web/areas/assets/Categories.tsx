/** The tree of asset categories: create, change, move, order, pin, delete. */

import { Add, Category, Folder, VisibilityOff } from '@mui/icons-material'
import { Box, Button, Card, Link as MuiLink, Tooltip, Typography } from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { AssetCategoryNode } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay } from '../../session/session.ts'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { MoveNodeDialog } from '../../ui/tree/MoveNodeDialog.tsx'
import { TreeEditor } from '../../ui/tree/TreeEditor.tsx'
import { CategoryDialog } from './CategoryDialog.tsx'
import { DeleteCategory } from './DeleteCategory.tsx'
import { AssetTabs } from './parts.tsx'

const words = texts({
  en: {
    ...common.en,
    title: 'Categories',
    add: 'New category',
    addBelow: 'New category below it',
    hidden: 'Not shown to all members',
    assets: (n: number) => (n === 1 ? '1 asset' : `${n} assets`),
    empty: 'No categories yet',
    emptyText:
      'Categories order the assets as folders do, and decide which fields they have: laptops have an operating system, chairs do not.',
    moved: 'The category was moved.',
  },
  zh: {
    ...common.zh,
    title: '分类',
    add: '新建分类',
    addBelow: '新建下级分类',
    hidden: '不对所有成员显示',
    assets: (n: number) => `${n} 件资产`,
    empty: '还没有分类',
    emptyText: '分类像文件夹一样整理资产，并决定资产有哪些字段：例如笔记本电脑有操作系统，椅子没有。',
    moved: '分类已移动。',
  },
})

/** Levels of categories that the server allows. */
const MAX_DEPTH = 5

type Dialog =
  | { readonly kind: 'create'; readonly parentId: number | null }
  | { readonly kind: 'edit' | 'move' | 'delete'; readonly category: AssetCategoryNode }

export default function Categories() {
  const t = useTexts(words)
  const may = useMay()
  const query = useCall('assetCategories.tree', { query: ownerQuery() })
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  const open = (kind: 'edit' | 'move' | 'delete') => (category: AssetCategoryNode) => setDialog({ kind, category })
  const pin = useAction('assetCategories.pin')
  const reorder = useAction('assetCategories.reorder')
  const add = may('assetCategories.create') && (
    <Button
      variant="contained"
      startIcon={<Add />}
      data-create
      onClick={() => setDialog({ kind: 'create', parentId: null })}
    >
      {t.add}
    </Button>
  )
  const actions = may('assetCategories.update') && {
    onAdd: ({ id }: AssetCategoryNode) => setDialog({ kind: 'create', parentId: id }),
    onEdit: open('edit'),
    onMove: open('move'),
    onPin: ({ id }: AssetCategoryNode, pinned: boolean) =>
      pin.mutate({ params: { id }, query: ownerQuery(), body: { pinned } }),
    onOrder: (ids: number[]) => reorder.mutate({ query: ownerQuery(), body: { ids } }),
    onDelete: open('delete'),
  }
  return (
    <Page title={t.title} actions={query.data?.length === 0 ? undefined : add}>
      <AssetTabs />
      <Answer query={query}>
        {(tree) => (
          <>
            {tree.length === 0 ? (
              <EmptyState icon={Category} title={t.empty} text={t.emptyText} action={add} />
            ) : (
              <Card variant="outlined">
                <TreeEditor
                  label={t.title}
                  tree={tree}
                  maxDepth={MAX_DEPTH}
                  names={{ add: t.addBelow, edit: t.edit }}
                  isOrdering={reorder.isPending}
                  {...actions}
                >
                  {(category) => <Row category={category} />}
                </TreeEditor>
              </Card>
            )}
            {dialog?.kind === 'create' && <CategoryDialog parentId={dialog.parentId} onClose={close} />}
            {dialog?.kind === 'edit' && <CategoryDialog category={dialog.category} parentId={null} onClose={close} />}
            {dialog?.kind === 'delete' && <DeleteCategory category={dialog.category} onClose={close} />}
            {dialog?.kind === 'move' && (
              <MoveNodeDialog
                operation="assetCategories.move"
                node={dialog.category}
                tree={tree}
                maxDepth={MAX_DEPTH}
                done={t.moved}
                onClose={close}
              />
            )}
          </>
        )}
      </Answer>
    </Page>
  )
}

function Row({ category: { id, name, color, shared, assetCount } }: { category: AssetCategoryNode }) {
  const t = useTexts(words)
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
      <Folder sx={{ color: color || 'text.secondary' }} />
      <Box sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
        <MuiLink component={Link} to={`/assets?categoryId=${id}`} color="inherit" underline="hover">
          {name}
        </MuiLink>
      </Box>
      {!shared && (
        <Tooltip title={t.hidden}>
          <VisibilityOff fontSize="small" color="action" aria-label={t.hidden} />
        </Tooltip>
      )}
      <Typography variant="body2" color="text.secondary" noWrap>
        {t.assets(assetCount)}
      </Typography>
    </Box>
  )
}

/** The tree of asset categories: create, change, move, order, pin, delete. */

import {
  Add,
  ArrowDownward,
  ArrowUpward,
  Category,
  CheckCircle,
  Delete,
  Edit,
  Folder,
  MoreVert,
  PushPin,
  VisibilityOff,
} from '@mui/icons-material'
import {
  Box,
  Button,
  Card,
  Checkbox,
  Divider,
  FormControlLabel,
  IconButton,
  ListItemIcon,
  ListItemText,
  Menu,
  MenuItem,
  Radio,
  RadioGroup,
  Stack,
  TextField,
  Tooltip,
  Typography,
} from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { call } from '../../api/client.ts'
import { useAction, useCall } from '../../api/hooks.ts'
import type { AssetCategoryNode } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay, useSession } from '../../session/session.ts'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { ConfirmDialog, FormDialog } from '../../ui/dialogs.tsx'
import { Page } from '../../ui/Page.tsx'
import { useTemplates } from './fields/useFields.ts'
import { PlacePicker, PlacesPicker } from './inputs.tsx'
import { AssetTabs, Choice } from './parts.tsx'
import { flatten, type Place, useCategories } from './places.ts'

const words = texts({
  en: {
    title: 'Categories',
    add: 'New category',
    addBelow: 'New category below it',
    edit: 'Change',
    remove: 'Delete',
    up: 'Move up',
    down: 'Move down',
    pin: 'Pin to the top',
    unpin: 'Unpin',
    pinned: 'Pinned',
    hidden: 'Not shown to all members',
    more: (name: string) => `Actions for ${name}`,
    assets: (n: number) => (n === 1 ? '1 asset' : `${n} assets`),
    empty: 'No categories yet',
    emptyText:
      'Categories order the assets as folders do, and decide which fields they have: laptops have an operating system, chairs do not.',
    name: 'Name',
    color: 'Color',
    colors: {
      '': 'No color',
      '#0b6b57': 'Green',
      '#2a62b8': 'Blue',
      '#6a4bb0': 'Violet',
      '#a4262c': 'Red',
      '#b06a00': 'Orange',
      '#53605b': 'Grey',
    },
    parent: 'Below',
    top: 'Top level',
    templates: 'Field templates',
    templatesHelp:
      'Its assets have the fields of these templates. Without any, those of the category above or the standard ones.',
    standard: 'First template',
    shared: 'All members see it',
    create: 'Create',
    save: 'Save',
    created: 'The category was created.',
    saved: 'The category was saved.',
    deleted: 'The category was deleted.',
    removeTitle: (name: string) => `Delete “${name}”?`,
    removeText: (n: number) =>
      n === 0
        ? 'It has no assets. This cannot be undone.'
        : `Its ${n === 1 ? 'asset is' : `${n} assets are`} not deleted but will have no category. This cannot be undone.`,
    hasChildren: 'It has categories below it. Move or delete these first.',
  },
  zh: {
    title: '分类',
    add: '新建分类',
    addBelow: '新建下级分类',
    edit: '修改',
    remove: '删除',
    up: '上移',
    down: '下移',
    pin: '置顶',
    unpin: '取消置顶',
    pinned: '已置顶',
    hidden: '不对所有成员显示',
    more: (name: string) => `${name} 的操作`,
    assets: (n: number) => `${n} 件资产`,
    empty: '还没有分类',
    emptyText: '分类像文件夹一样整理资产，并决定资产有哪些字段：例如笔记本电脑有操作系统，椅子没有。',
    name: '名称',
    color: '颜色',
    colors: {
      '': '无颜色',
      '#0b6b57': '绿色',
      '#2a62b8': '蓝色',
      '#6a4bb0': '紫色',
      '#a4262c': '红色',
      '#b06a00': '橙色',
      '#53605b': '灰色',
    },
    parent: '上级分类',
    top: '顶级',
    templates: '字段模板',
    templatesHelp: '该分类的资产使用这些模板的字段。不选则沿用上级分类或标准模板。',
    standard: '首选模板',
    shared: '所有成员可见',
    create: '新建',
    save: '保存',
    created: '分类已新建。',
    saved: '分类已保存。',
    deleted: '分类已删除。',
    removeTitle: (name: string) => `删除“${name}”？`,
    removeText: (n: number) =>
      n === 0 ? '其中没有资产。此操作无法撤销。' : `其中 ${n} 件资产不会被删除，但将没有分类。此操作无法撤销。`,
    hasChildren: '该分类下还有分类，请先移走或删除它们。',
  },
})

type Dialog =
  | { readonly kind: 'edit'; readonly category?: AssetCategoryNode; readonly parentId?: number }
  | { readonly kind: 'delete'; readonly category: AssetCategoryNode }

export default function Categories() {
  const t = useTexts(words)
  const may = useMay()
  const query = useCall('assetCategories.tree', { query: ownerQuery() })
  const [dialog, setDialog] = useState<Dialog>()
  const add = may('assetCategories.create') && (
    <Button variant="contained" startIcon={<Add />} data-create onClick={() => setDialog({ kind: 'edit' })}>
      {t.add}
    </Button>
  )
  return (
    <Page title={t.title} actions={query.data?.length === 0 ? undefined : add}>
      <AssetTabs />
      <Answer query={query}>
        {(tree) =>
          tree.length === 0 ? (
            <EmptyState icon={Category} title={t.empty} text={t.emptyText} action={add} />
          ) : (
            <Card variant="outlined" component="ul" sx={{ p: 0, m: 0, listStyle: 'none' }}>
              {flatten(tree).map((place) => (
                <Row key={place.id} place={place} siblings={siblingsOf(tree, place.node)} onOpen={setDialog} />
              ))}
            </Card>
          )
        }
      </Answer>
      {dialog?.kind === 'edit' && <EditDialog {...dialog} onClose={() => setDialog(undefined)} />}
      {dialog?.kind === 'delete' && <DeleteDialog category={dialog.category} onClose={() => setDialog(undefined)} />}
    </Page>
  )
}

const siblingsOf = (tree: readonly AssetCategoryNode[], { parentId }: AssetCategoryNode) =>
  parentId === null ? tree : (flatten(tree).find(({ id }) => id === parentId)?.node.children ?? [])

interface RowProps {
  place: Place<AssetCategoryNode>
  siblings: readonly AssetCategoryNode[]
  onOpen: (dialog: Dialog) => void
}

function Row({ place: { node, depth }, siblings, onOpen }: RowProps) {
  const t = useTexts(words)
  const may = useMay()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const pin = useAction('assetCategories.pin')
  const reorder = useAction('assetCategories.reorder')
  const index = siblings.findIndex(({ id }) => id === node.id)
  const target = { params: { id: node.id }, query: ownerQuery() }
  const move = (by: number) => () => {
    setAnchor(null)
    const ids = siblings.map(({ id }) => id)
    ;[ids[index], ids[index + by]] = [ids[index + by]!, ids[index]!]
    reorder.mutate({ query: ownerQuery(), body: { ids } })
  }
  const open = (dialog: Dialog) => () => {
    setAnchor(null)
    onOpen(dialog)
  }
  const neighbour = (by: number) => siblings[index + by]?.pinned === node.pinned
  return (
    <Stack
      component="li"
      direction="row"
      spacing={1}
      sx={{
        alignItems: 'center',
        minHeight: 52,
        pl: 2 + depth * 3,
        pr: 1,
        borderBottom: 1,
        borderColor: 'divider',
        '&:last-of-type': { borderBottom: 0 },
      }}
    >
      <Folder sx={{ color: node.color || 'text.secondary' }} />
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Typography
          component={Link}
          to={`/assets?categoryId=${node.id}`}
          sx={{
            color: 'inherit',
            textDecoration: 'none',
            overflowWrap: 'anywhere',
            '&:hover': { textDecoration: 'underline' },
          }}
        >
          {node.name}
        </Typography>
      </Box>
      {node.pinned && (
        <Tooltip title={t.pinned}>
          <PushPin fontSize="small" color="action" aria-label={t.pinned} />
        </Tooltip>
      )}
      {!node.shared && (
        <Tooltip title={t.hidden}>
          <VisibilityOff fontSize="small" color="action" aria-label={t.hidden} />
        </Tooltip>
      )}
      <Typography variant="body2" color="text.secondary" noWrap>
        {t.assets(node.assetCount)}
      </Typography>
      {may('assetCategories.update') && (
        <>
          <IconButton
            aria-label={t.more(node.name)}
            aria-haspopup="menu"
            onClick={(event) => setAnchor(event.currentTarget)}
          >
            <MoreVert />
          </IconButton>
          <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
            <Item icon={Edit} text={t.edit} onClick={open({ kind: 'edit', category: node })} />
            <Item icon={Add} text={t.addBelow} onClick={open({ kind: 'edit', parentId: node.id })} isOff={depth >= 4} />
            <Item
              icon={PushPin}
              text={node.pinned ? t.unpin : t.pin}
              onClick={() => {
                setAnchor(null)
                pin.mutate({ ...target, body: { pinned: !node.pinned } })
              }}
            />
            <Item icon={ArrowUpward} text={t.up} onClick={move(-1)} isOff={!neighbour(-1)} />
            <Item icon={ArrowDownward} text={t.down} onClick={move(1)} isOff={!neighbour(1)} />
            <Divider />
            <Item icon={Delete} text={t.remove} onClick={open({ kind: 'delete', category: node })} />
          </Menu>
        </>
      )}
    </Stack>
  )
}

interface ItemProps {
  icon: typeof Edit
  text: string
  onClick: () => void
  isOff?: boolean
}

const Item = ({ icon: Icon, text, onClick, isOff = false }: ItemProps) => (
  <MenuItem onClick={onClick} disabled={isOff}>
    <ListItemIcon>
      <Icon fontSize="small" />
    </ListItemIcon>
    <ListItemText>{text}</ListItemText>
  </MenuItem>
)

const COLORS = ['', '#0b6b57', '#2a62b8', '#6a4bb0', '#a4262c', '#b06a00', '#53605b'] as const

interface EditProps {
  category?: AssetCategoryNode
  parentId?: number
  onClose: () => void
}

function EditDialog({ category, parentId: above, onClose }: EditProps) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const may = useMay()
  const templates = useTemplates()
  // A category cannot be moved below itself.
  const below = new Set(category === undefined ? [] : flatten([category]).map(({ id }) => id))
  const parents = useCategories().filter(({ id }) => !below.has(id))
  const [name, setName] = useState(category?.name ?? '')
  const [color, setColor] = useState(category?.color ?? '')
  const [parentId, setParentId] = useState(category?.parentId ?? above ?? null)
  const [shared, setShared] = useState(category?.shared ?? true)
  const [templateIds, setTemplateIds] = useState<readonly number[]>(category?.templateIds ?? [])
  const [first, setFirst] = useState(category?.defaultTemplateId ?? null)
  const isMoved = category !== undefined && category.parentId !== parentId

  const settings = { quiet: true, onDone: onClose }
  const create = useAction('assetCategories.create', { ...settings, done: t.created })
  const update = useAction('assetCategories.update', { ...settings, done: t.saved })
  const action = category === undefined ? create : update
  const [moveError, setMoveError] = useState<unknown>(null)

  const submit = async () => {
    const body = {
      name,
      color: color === '' ? null : color,
      templateIds: [...templateIds],
      ...(templateIds.length > 0 && {
        defaultTemplateId: first !== null && templateIds.includes(first) ? first : templateIds[0]!,
      }),
      ...(workspace !== null && { shared }),
    }
    setMoveError(null)
    if (category === undefined) return create.mutate({ query: ownerQuery(), body: { ...body, parentId } })
    const target = { params: { id: category.id }, query: ownerQuery() }
    try {
      if (isMoved) await call('assetCategories.move', { ...target, body: { parentId } })
      update.mutate({ ...target, body })
    } catch (error) {
      setMoveError(error)
    }
  }
  const problem = action.error?.problem('name')
  return (
    <FormDialog
      isOpen
      title={category === undefined ? t.add : category.name}
      action={category === undefined ? t.create : t.save}
      isBusy={action.isPending}
      error={moveError ?? action.error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField
        label={t.name}
        required
        autoFocus
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={problem !== undefined}
        helperText={problem}
      />
      <PlacePicker
        label={t.parent}
        places={parents}
        value={parentId ?? 0}
        onChange={(id) => setParentId(id === 0 ? null : id)}
        none={t.top}
      />
      <RadioGroup row aria-label={t.color} value={color} onChange={(event) => setColor(event.target.value)}>
        {[...COLORS, ...(color in t.colors ? [] : [color])].map((one) => (
          <Radio
            key={one}
            value={one}
            icon={<Folder sx={{ color: one === '' ? 'text.disabled' : one }} />}
            checkedIcon={<CheckCircle sx={{ color: one === '' ? 'text.secondary' : one }} />}
            slotProps={{ input: { 'aria-label': (t.colors as Readonly<Record<string, string>>)[one] ?? one } }}
          />
        ))}
      </RadioGroup>
      {may('metadata.fields') && templates.length > 0 && (
        <PlacesPicker
          label={t.templates}
          help={t.templatesHelp}
          places={templates.map((template) => ({ id: template.id, path: template.name }))}
          value={templateIds}
          onChange={setTemplateIds}
        />
      )}
      {templateIds.length > 1 && (
        <Choice
          label={t.standard}
          value={String(first ?? templateIds[0])}
          choices={templates
            .filter(({ id }) => templateIds.includes(id))
            .map((template) => ({ id: String(template.id), name: template.name }))}
          onChange={(id) => setFirst(Number(id))}
        />
      )}
      {workspace !== null && (
        <FormControlLabel
          label={t.shared}
          control={<Checkbox checked={shared} onChange={(_, isOn) => setShared(isOn)} />}
        />
      )}
    </FormDialog>
  )
}

function DeleteDialog({ category, onClose }: { category: AssetCategoryNode; onClose: () => void }) {
  const t = useTexts(words)
  const { data } = useCall('assetCategories.deletable', { params: { id: category.id }, query: ownerQuery() })
  const remove = useAction('assetCategories.delete', {
    done: t.deleted,
    quiet: true,
    // Not whether it can be deleted, which is 404 now.
    refreshes: ['assetCategories.tree', 'assets'],
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      title={t.removeTitle(category.name)}
      text={data?.deletable === false ? t.hasChildren : t.removeText(data?.assetCount ?? category.assetCount)}
      action={t.remove}
      isBusy={remove.isPending || data === undefined}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { id: category.id }, query: ownerQuery() })}
      onClose={onClose}
    />
  )
}

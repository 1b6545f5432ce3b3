/** Stock-takings of the workspace, and a dialog that plans one. */

import { Add, ChevronRight, FactCheck, SearchOff } from '@mui/icons-material'
import { Box, Button, Card, LinearProgress, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { Inventory } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { date } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay, useSession } from '../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { Page } from '../../ui/Page.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { PlacesPicker } from '../../ui/tree/PlacePicker.tsx'
import { PeoplePicker } from './inputs.tsx'
import { AssetTabs } from './parts.tsx'
import { useCategories, useLocations } from './places.ts'
import { useInventoryStatus } from './words.ts'

const words = texts({
  en: {
    ...common.en,
    title: 'Stock-taking',
    add: 'New stock-taking',
    search: 'Search stock-takings',
    empty: 'No stock-taking yet',
    emptyText:
      'A stock-taking compares the register with what is really there: walk through the rooms and scan the labels.',
    nothing: 'Nothing found',
    nothingText: 'No stock-taking has this text.',
    progress: (found: number, expected: number) => `${found} of ${expected} found`,
    planned: (n: number) => `${n} assets to look for`,
    namePlaceholder: 'Autumn 2026, main building',
    categories: 'Only these categories',
    locations: 'Only these locations',
    all: 'Leave it empty for all assets.',
    people: 'Who may scan',
    peopleHelp: 'Leave it empty for all who may scan.',
    note: 'Note',
    created: 'The stock-taking was created. Start it when you are ready.',
    saved: 'The stock-taking was saved.',
  },
  zh: {
    ...common.zh,
    title: '资产盘点',
    add: '新建盘点',
    search: '搜索盘点',
    empty: '还没有盘点',
    emptyText: '盘点将台账与实物核对：走遍各个房间，扫描标签即可。',
    nothing: '没有找到',
    nothingText: '没有符合条件的盘点。',
    progress: (found: number, expected: number) => `已找到 ${found} / ${expected}`,
    planned: (n: number) => `待盘点 ${n} 件资产`,
    namePlaceholder: '2026 秋季，主楼',
    categories: '仅限分类',
    locations: '仅限位置',
    all: '留空则包含所有资产。',
    people: '扫描人员',
    peopleHelp: '留空则有权限的人都可以扫描。',
    note: '备注',
    created: '盘点已新建，准备好后即可开始。',
    saved: '盘点已保存。',
  },
})

export default function Inventories() {
  const t = useTexts(words)
  const may = useMay()
  const [keyword, setKeyword] = useState('')
  const [isOpen, setOpen] = useState(false)
  const { items, total, error, isLoading, more, retry } = usePages('inventories.list', {
    query: { ...ownerQuery(), ...(keyword !== '' && { keyword }) },
  })
  const add = may('inventories.create') && (
    <Button variant="contained" startIcon={<Add />} data-create onClick={() => setOpen(true)}>
      {t.add}
    </Button>
  )
  return (
    <Page title={t.title} actions={items?.length === 0 && keyword === '' ? undefined : add}>
      <AssetTabs />
      {(keyword !== '' || (items?.length ?? 0) > 5) && (
        <SearchField
          label={t.search}
          value={keyword}
          onSearch={setKeyword}
          sx={{ mb: 2, width: '100%', maxWidth: 420 }}
        />
      )}
      {error !== null && <ErrorNotice error={error} onRetry={retry} />}
      {items === undefined && error === null && <Loading />}
      {items?.length === 0 &&
        (keyword === '' ? (
          <EmptyState icon={FactCheck} title={t.empty} text={t.emptyText} action={add} />
        ) : (
          <EmptyState icon={SearchOff} title={t.nothing} text={t.nothingText} />
        ))}
      {items !== undefined && items.length > 0 && (
        <>
          <Stack component="ul" spacing={1.5} sx={{ m: 0, p: 0, listStyle: 'none' }}>
            {items.map((inventory) => (
              <Row key={inventory.id} inventory={inventory} />
            ))}
          </Stack>
          <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />
        </>
      )}
      {isOpen && <InventoryDialog onClose={() => setOpen(false)} />}
    </Page>
  )
}

function Row({ inventory }: { inventory: Inventory }) {
  const t = useTexts(words)
  const word = useInventoryStatus()
  const { status, found, expected } = inventory
  return (
    <Card variant="outlined" component="li">
      <Stack
        component={Link}
        to={`/assets/inventories/${inventory.id}`}
        direction="row"
        spacing={2}
        sx={{
          alignItems: 'center',
          p: 2,
          color: 'inherit',
          textDecoration: 'none',
          '&:hover': { bgcolor: 'action.hover' },
        }}
      >
        <Box sx={{ flex: 1, minWidth: 0 }}>
          <Typography sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{inventory.name}</Typography>
          <Typography variant="body2" color="text.secondary">
            {word(status)} · {date(inventory.startedAt ?? inventory.createdAt)} ·{' '}
            {status === 'DRAFT' ? t.planned(expected) : t.progress(found, expected)}
          </Typography>
          {status !== 'DRAFT' && <ShareFound inventory={inventory} />}
        </Box>
        <ChevronRight color="action" />
      </Stack>
    </Card>
  )
}

/** A bar of the share of expected assets that were found. */
export function ShareFound({ inventory: { found, expected } }: { inventory: Inventory }) {
  const t = useTexts(words)
  return (
    <LinearProgress
      variant="determinate"
      value={expected === 0 ? 100 : (100 * found) / expected}
      aria-label={t.progress(found, expected)}
      sx={{ mt: 1, height: 8, borderRadius: 4 }}
    />
  )
}

/** Plans a stock-taking, or changes one. Its scope can only change before it starts. */
export function InventoryDialog({ inventory, onClose }: { inventory?: Inventory; onClose: () => void }) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const navigate = useNavigate()
  const categories = useCategories()
  const locations = useLocations()
  const [name, setName] = useState(inventory?.name ?? '')
  const [note, setNote] = useState(inventory?.note ?? '')
  const [categoryIds, setCategoryIds] = useState<readonly number[]>(inventory?.scope.categoryIds ?? [])
  const [locationIds, setLocationIds] = useState<readonly number[]>(inventory?.scope.locationIds ?? [])
  const [assigneeIds, setAssigneeIds] = useState<readonly number[]>(inventory?.assigneeIds ?? [])
  const create = useAction('inventories.create', {
    done: t.created,
    quiet: true,
    onDone: ({ id }) => void navigate(`/assets/inventories/${id}`),
  })
  const update = useAction('inventories.update', { done: t.saved, quiet: true, onDone: onClose })
  const action = inventory === undefined ? create : update
  const isOpen = inventory === undefined || inventory.status === 'DRAFT'
  const submit = () => {
    const body = {
      name,
      note,
      ...(isOpen && { scope: { categoryIds: [...categoryIds], locationIds: [...locationIds] } }),
      assigneeIds: [...assigneeIds],
    }
    if (inventory === undefined) create.mutate({ query: ownerQuery(), body })
    else update.mutate({ params: { id: inventory.id }, query: ownerQuery(), body })
  }
  const problem = action.error?.problem('name')
  return (
    <FormDialog
      isOpen
      title={inventory === undefined ? t.add : inventory.name}
      action={inventory === undefined ? t.create : t.save}
      isBusy={action.isPending}
      error={action.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t.name}
        required
        autoFocus
        value={name}
        placeholder={t.namePlaceholder}
        onChange={(event) => setName(event.target.value)}
        error={problem !== undefined}
        helperText={problem}
      />
      {isOpen && categories.length > 0 && (
        <PlacesPicker
          label={t.categories}
          help={t.all}
          places={categories}
          value={categoryIds}
          onChange={setCategoryIds}
        />
      )}
      {isOpen && locations.length > 0 && (
        <PlacesPicker
          label={t.locations}
          help={t.all}
          places={locations}
          value={locationIds}
          onChange={setLocationIds}
        />
      )}
      {workspace !== null && (
        <PeoplePicker label={t.people} help={t.peopleHelp} value={assigneeIds} onChange={setAssigneeIds} />
      )}
      <TextField label={t.note} multiline value={note} onChange={(event) => setNote(event.target.value)} />
    </FormDialog>
  )
}

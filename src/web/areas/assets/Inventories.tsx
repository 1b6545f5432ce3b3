/** Stock-takings of the workspace, and a dialog that plans one. */

import { Add, ChevronRight, FactCheck, SearchOff } from '@mui/icons-material'
import { Box, Button, Card, LinearProgress, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'

import { usePages } from '../../api/pages.ts'
import type { Inventory } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { date } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useOwner, useOwnerQuery } from '../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { Page } from '../../ui/Page.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { PlacesPicker } from '../../ui/tree/PlacePicker.tsx'
import { nested, useForm } from '../../ui/use-form.tsx'
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
    created: '盘点已新建，准备好后即可开始。',
    saved: '盘点已保存。',
  },
})

export default function Inventories() {
  const t = useTexts(words)
  const may = useMay()
  const owned = useOwnerQuery()
  const [keyword, setKeyword] = useState('')
  // The command palette leads to the dialog.
  const [params, setParams] = useSearchParams()
  const isOpen = params.has('new')
  const setOpen = (isNew: boolean) => setParams(isNew ? { new: '' } : {}, { replace: true })
  const { items, total, error, isLoading, more, retry } = usePages('inventories.list', {
    query: { ...owned, ...(keyword !== '' && { keyword }) },
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
  const owned = useOwnerQuery()
  const owner = useOwner()
  const navigate = useNavigate()
  const categories = useCategories()
  const locations = useLocations()
  const isOpen = inventory === undefined || inventory.status === 'DRAFT'
  const form = useForm(
    inventory === undefined ? 'inventories.create' : 'inventories.update',
    {
      name: inventory?.name ?? '',
      note: inventory?.note ?? '',
      'scope.categoryIds': (inventory?.scope.categoryIds ?? []) as readonly number[],
      'scope.locationIds': (inventory?.scope.locationIds ?? []) as readonly number[],
      assigneeIds: (inventory?.assigneeIds ?? []) as readonly number[],
    },
    {
      done: inventory === undefined ? t.created : t.saved,
      onDone: ({ id }) => (inventory === undefined ? void navigate(`/assets/inventories/${id}`) : onClose()),
      input: ({ name, note, assigneeIds, ...scope }) => ({
        params: inventory === undefined ? {} : { id: inventory.id },
        query: owned,
        body: { name, note, assigneeIds: [...assigneeIds], ...(isOpen && nested(scope)) },
      }),
    },
  )
  return (
    <FormDialog
      form={form}
      title={inventory === undefined ? t.add : inventory.name}
      action={inventory === undefined ? t.create : t.save}
      onClose={onClose}
    >
      <TextField {...form.text('name')} autoFocus placeholder={t.namePlaceholder} />
      {isOpen && categories.length > 0 && (
        <PlacesPicker {...form.pick('scope.categoryIds', { label: t.categories, help: t.all })} places={categories} />
      )}
      {isOpen && locations.length > 0 && (
        <PlacesPicker {...form.pick('scope.locationIds', { label: t.locations, help: t.all })} places={locations} />
      )}
      {owner !== null && <PeoplePicker {...form.pick('assigneeIds', { label: t.people, help: t.peopleHelp })} />}
      <TextField {...form.text('note')} multiline />
    </FormDialog>
  )
}

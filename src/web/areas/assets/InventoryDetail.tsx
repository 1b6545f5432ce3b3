/** One stock-taking: progress, scanning, results, closing and export. */

import {
  CheckCircle,
  Checklist,
  Download,
  Edit,
  HelpOutlined,
  PlayArrow,
  ReportProblem,
  StopCircle,
  WrongLocation,
} from '@mui/icons-material'
import { Box, Button, Card, CardContent, Chip, Link as MuiLink, Stack, Tab, Tabs, Typography } from '@mui/material'
import { useEffect, useState } from 'react'
import { Link, useParams } from 'react-router'

import { useCall, useDownload, useRefresh } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { Inventory, InventoryItem, InventoryState } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { date, dateTime, list, number, timeZone } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useRecent } from '../../session/recent.ts'
import { useMay, useOwnerQuery, useRowQuery } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { OwnedAnswer } from '../../ui/Owned.tsx'
import { Page } from '../../ui/Page.tsx'
import { ApplyInventory } from './ApplyInventory.tsx'
import { InventoryDialog, ShareFound } from './Inventories.tsx'
import { InventoryScan } from './InventoryScan.tsx'
import { useNames } from './places.ts'
import { INVENTORY_STATES, useCondition, useInventoryState, useInventoryStatus } from './words.ts'

const words = texts({
  en: {
    ...common.en,
    start: 'Start',
    startTitle: (n: number) => (n === 1 ? 'Start with 1 asset?' : `Start with ${n} assets?`),
    startText:
      'The assets are recorded as the register has them now. Which assets belong to it can no longer be changed.',
    started: 'The stock-taking has started.',
    close: 'Close stock-taking',
    closeTitle: 'Close the stock-taking?',
    closeText: (n: number) =>
      `${n === 0 ? 'Everything was found.' : n === 1 ? '1 asset was not found.' : `${n} assets were not found.`} Nothing can be scanned after that. The register does not change.`,
    closed: 'The stock-taking is closed.',
    export: 'Report',
    apply: 'Apply',
    startedOn: (when: string) => `started on ${when}`,
    closedOn: (when: string) => `closed on ${when}`,
    expected: 'Expected',
    results: 'Results',
    none: {
      MISSING: 'Nothing is missing',
      FOUND: 'Nothing was found yet',
      MISPLACED: 'Nothing was found at another place',
      UNEXPECTED: 'Nothing unexpected was found',
    },
    should: (place: string) => `should be at: ${place}`,
    was: (place: string) => `found at: ${place}`,
    draft: 'Not started',
    draftText: 'Check what it covers, then start. From then on, labels can be scanned.',
    onlySome: (what: string) => `Covers: ${what}`,
    everything: 'Covers all assets',
    photo: 'Photo of the scan',
  },
  zh: {
    ...common.zh,
    start: '开始盘点',
    startTitle: (n: number) => `开始盘点 ${n} 件资产？`,
    startText: '将按台账的现状记录资产，之后不能再修改盘点范围。',
    started: '盘点已开始。',
    close: '结束盘点',
    closeTitle: '结束盘点？',
    closeText: (n: number) =>
      `${n === 0 ? '所有资产都已找到。' : `有 ${n} 件资产未找到。`}结束后不能再扫描，台账不会改变。`,
    closed: '盘点已结束。',
    export: '报告',
    apply: '应用',
    startedOn: (when: string) => `${when} 开始`,
    closedOn: (when: string) => `${when} 结束`,
    expected: '应有',
    results: '结果',
    none: {
      MISSING: '没有缺失的资产',
      FOUND: '还没有找到资产',
      MISPLACED: '没有位置不符的资产',
      UNEXPECTED: '没有计划外的资产',
    },
    should: (place: string) => `应在：${place}`,
    was: (place: string) => `实际在：${place}`,
    draft: '尚未开始',
    draftText: '请确认盘点范围，然后开始。开始后即可扫描标签。',
    onlySome: (what: string) => `范围：${what}`,
    everything: '范围：所有资产',
    photo: '盘点照片',
  },
})

/** Milliseconds between two looks at what others have scanned. */
const EVERY = 4000

export default function InventoryDetail() {
  const { id } = useParams()
  // Others may scan at the same time.
  const query = useCall(
    'inventories.get',
    { params: { id: Number(id) }, query: useRowQuery('inventories.get') },
    { every: EVERY, isLast: ({ status }) => status === 'CLOSED' },
  )
  return <OwnedAnswer query={query}>{(inventory) => <Detail inventory={inventory} />}</OwnedAnswer>
}

function Detail({ inventory }: { inventory: Inventory }) {
  useRecent('stockTaking', inventory.name)
  const t = useTexts(words)
  const may = useMay()
  const owned = useOwnerQuery()
  const word = useInventoryStatus()
  const names = useNames()
  const [dialog, setDialog] = useState<'edit' | 'start' | 'close' | 'apply'>()
  const file = useDownload()
  const close = () => setDialog(undefined)
  const target = { params: { id: inventory.id }, query: owned }
  const save = () => {
    const query = { ...target.query, tz: timeZone() }
    file.mutate(['inventories.export', { ...target, query }, `${inventory.name}.xlsx`])
  }
  const { status, scope } = inventory
  const covers = [...scope.categoryIds.map(names.category), ...scope.locationIds.map(names.location)].filter(Boolean)
  const facts = [
    word(status),
    inventory.startedAt === null ? '' : t.startedOn(date(inventory.startedAt)),
    inventory.closedAt === null ? '' : t.closedOn(date(inventory.closedAt)),
    covers.length === 0 ? t.everything : t.onlySome(list(covers)),
  ]
  const mayManage = may('inventories.update')
  return (
    <Page
      title={inventory.name}
      back="/assets/inventories"
      actions={
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
          {mayManage && status !== 'CLOSED' && (
            <Button startIcon={<Edit />} onClick={() => setDialog('edit')}>
              {t.edit}
            </Button>
          )}
          {status !== 'DRAFT' && (
            <Button startIcon={<Download />} loading={file.isPending} onClick={save}>
              {t.export}
            </Button>
          )}
          {mayManage && status === 'CLOSED' && may('assets.update') && (
            <Button variant="outlined" startIcon={<Checklist />} onClick={() => setDialog('apply')}>
              {t.apply}
            </Button>
          )}
          {mayManage && status === 'DRAFT' && (
            <Button variant="contained" startIcon={<PlayArrow />} onClick={() => setDialog('start')}>
              {t.start}
            </Button>
          )}
          {mayManage && status === 'RUNNING' && (
            <Button variant="outlined" startIcon={<StopCircle />} onClick={() => setDialog('close')}>
              {t.close}
            </Button>
          )}
        </Stack>
      }
    >
      <Typography color="text.secondary">{facts.filter(Boolean).join(' · ')}</Typography>
      {inventory.note !== '' && (
        <Typography sx={{ mt: 1, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{inventory.note}</Typography>
      )}
      {status === 'DRAFT' ? (
        <EmptyState icon={PlayArrow} title={t.draft} text={t.draftText} />
      ) : (
        <Box
          sx={{
            display: 'grid',
            gap: 2,
            mt: 2,
            alignItems: 'start',
            gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: status === 'RUNNING' ? '380px minmax(0, 1fr)' : '1fr' },
          }}
        >
          {status === 'RUNNING' && may('inventories.scan') && <InventoryScan inventory={inventory} />}
          <Box sx={{ minWidth: 0 }}>
            <Figures inventory={inventory} />
            <Results inventory={inventory} />
          </Box>
        </Box>
      )}
      {dialog === 'apply' && <ApplyInventory inventory={inventory} onClose={close} />}
      {dialog === 'edit' && <InventoryDialog inventory={inventory} onClose={close} />}
      {(dialog === 'start' || dialog === 'close') && (
        <ActionDialog
          operation="inventories.update"
          input={{ ...target, body: { status: dialog === 'start' ? 'RUNNING' : 'CLOSED' } }}
          title={dialog === 'start' ? t.startTitle(inventory.expected) : t.closeTitle}
          text={dialog === 'start' ? t.startText : t.closeText(inventory.missing)}
          action={t[dialog]}
          done={dialog === 'start' ? t.started : t.closed}
          onClose={close}
        />
      )}
    </Page>
  )
}

function Figures({ inventory }: { inventory: Inventory }) {
  const t = useTexts(words)
  const state = useInventoryState()
  const figures = [
    [t.expected, inventory.expected],
    [state('FOUND'), inventory.found],
    [state('MISSING'), inventory.missing],
    [state('MISPLACED'), inventory.misplaced],
    [state('UNEXPECTED'), inventory.unexpected],
  ] as const
  return (
    <Card variant="outlined" sx={{ mb: 2 }}>
      <CardContent>
        <Box
          component="dl"
          sx={{ m: 0, display: 'grid', gap: 1.5, gridTemplateColumns: 'repeat(auto-fit, minmax(92px, 1fr))' }}
        >
          {figures.map(([label, value]) => (
            <Box key={label} sx={{ display: 'flex', flexDirection: 'column-reverse', justifyContent: 'flex-end' }}>
              <Typography component="dt" variant="body2" color="text.secondary">
                {label}
              </Typography>
              <Typography component="dd" sx={{ m: 0, fontSize: '1.5rem', fontWeight: 650 }}>
                {number(value)}
              </Typography>
            </Box>
          ))}
        </Box>
        <ShareFound inventory={inventory} />
      </CardContent>
    </Card>
  )
}

const ICONS = { MISSING: HelpOutlined, FOUND: CheckCircle, MISPLACED: WrongLocation, UNEXPECTED: ReportProblem }

function Results({ inventory }: { inventory: Inventory }) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const word = useInventoryState()
  const [state, setState] = useState<InventoryState>('MISSING')
  const refresh = useRefresh()
  const list = usePages('inventories.items', { params: { id: inventory.id }, query: { ...owned, state } })
  const counts = [inventory.found, inventory.missing, inventory.misplaced, inventory.unexpected].join()
  useEffect(() => {
    void refresh('inventories.items')
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `refresh` is new in each render
  }, [counts])
  return (
    <Card variant="outlined">
      <Tabs
        value={state}
        onChange={(_, next: InventoryState) => setState(next)}
        aria-label={t.results}
        variant="scrollable"
        sx={{ borderBottom: 1, borderColor: 'divider' }}
      >
        {INVENTORY_STATES.map((one) => (
          <Tab key={one} id={`state-${one}`} aria-controls="results" value={one} label={word(one)} />
        ))}
      </Tabs>
      <Box role="tabpanel" id="results" aria-labelledby={`state-${state}`}>
        {list.error !== null && <ErrorNotice error={list.error} onRetry={list.retry} />}
        {list.items === undefined && list.error === null && <Loading />}
        {list.items?.length === 0 && <EmptyState icon={ICONS[state]} title={t.none[state]} />}
        {list.items !== undefined && list.items.length > 0 && (
          <>
            <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none' }}>
              {list.items.map((item) => (
                <Item key={item.assetId} item={item} />
              ))}
            </Box>
            <MoreButton shown={list.items.length} total={list.total} onMore={list.more} isLoading={list.isLoading} />
          </>
        )}
      </Box>
    </Card>
  )
}

function Item({ item }: { item: InventoryItem }) {
  const t = useTexts(words)
  const names = useNames()
  const condition = useCondition()
  const { state, expectedLocationId, locationId } = item
  const places = [
    expectedLocationId !== null && state !== 'FOUND' ? t.should(names.location(expectedLocationId)) : '',
    locationId === null ? '' : state === 'FOUND' ? names.location(locationId) : t.was(names.location(locationId)),
  ]
  const facts = [
    item.assetNo,
    ...places,
    item.scannedAt === null ? '' : `${names.person(item.scannedBy)} ${dateTime(item.scannedAt)}`,
  ]
  return (
    <Box
      component="li"
      sx={{ px: 2, py: 1.25, borderBottom: 1, borderColor: 'divider', '&:last-of-type': { borderBottom: 0 } }}
    >
      <MuiLink component={Link} to={`/assets/${item.assetId}`} color="inherit" sx={{ fontWeight: 600 }}>
        {item.name}
      </MuiLink>{' '}
      {item.condition !== null && item.condition !== 'GOOD' && (
        <Chip size="small" variant="outlined" label={condition(item.condition)} />
      )}
      <Typography variant="body2" color="text.secondary" sx={{ overflowWrap: 'anywhere' }}>
        {facts.filter(Boolean).join(' · ')}
      </Typography>
      {item.note !== '' && <Typography variant="body2">{item.note}</Typography>}
      {item.photoFileId !== null && <ScanPhoto fileId={item.photoFileId} />}
    </Box>
  )
}

function ScanPhoto({ fileId }: { fileId: number }) {
  const t = useTexts(words)
  const { data } = useCall('files.signedUrl', { query: { fileId, variant: 'THUMBNAIL' } })
  if (data === undefined) return null
  return (
    <Box
      component="img"
      src={data.url}
      alt={t.photo}
      sx={{ width: 96, height: 72, objectFit: 'cover', borderRadius: 1, mt: 0.5, display: 'block' }}
    />
  )
}

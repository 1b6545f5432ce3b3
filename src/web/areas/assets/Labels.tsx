/** Prints labels of assets, supplies or locations: the ticked ones, all of a filter, or those registered since the page was opened. */

import { Label as LabelIcon } from '@mui/icons-material'
import { Alert, Box, Button, Card, CardContent, Stack, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'react-router'

import { call } from '../../api/client.ts'
import { useCall } from '../../api/hooks.ts'
import { useAll } from '../../api/pages.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwner, useOwnerQuery } from '../../session/session.ts'
import { AddressWarning } from '../../ui/AddressWarning.tsx'
import { EmptyState, ErrorNotice } from '../../ui/Answer.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { Owned, useAddressOwner } from '../../ui/Owned.tsx'
import { Page } from '../../ui/Page.tsx'
import { filtersOf } from './AssetFilters.tsx'
import { NumberSetting } from './inputs.tsx'
import { type Chosen, filterBody, FIRST_SETTINGS, type LabelBody, newerThan, profileBody } from './label-order.ts'
import { LabelFiles } from './LabelFiles.tsx'
import { LabelPicture } from './LabelPicture.tsx'
import { LabelProfiles } from './LabelProfiles.tsx'
import { LabelSettings } from './LabelSettings.tsx'
import { useLocations } from './places.ts'

const words = texts({
  en: {
    title: 'Print labels',
    nothing: 'Nothing to print',
    hint: 'Select assets in the list, then choose “Labels”.',
    toList: 'To the assets',
    which: 'Labels for',
    ticked: (n: number) => (n === 1 ? '1 selected asset' : `${n} selected assets`),
    places: (n: number) => (n === 1 ? '1 selected location' : `${n} selected locations`),
    allPlaces: 'All locations',
    supplies: (n: number) => (n === 1 ? '1 supply' : `${n} supplies`),
    filter: 'All assets of the list and its filters',
    fresh: (n: number) =>
      n === 1 ? '1 asset registered since this page was opened' : `${n} assets registered since this page was opened`,
    look: 'Look again',
    copies: 'Copies of each',
    skip: 'Used labels on the first sheet',
    count: (labels: number, pages: number) =>
      `${labels} ${labels === 1 ? 'label' : 'labels'}, ${pages} ${pages === 1 ? 'page' : 'pages'}`,
    missing: (n: number) => (n === 1 ? 'One has no label:' : `${n} have no label:`),
    reasons: {
      NOT_FOUND: 'deleted, or of somebody else',
      NOT_ASCII: 'the number has characters that Code 128 lacks',
      TOO_LONG: 'the number is too long for this label',
    },
  },
  zh: {
    title: '打印标签',
    nothing: '没有可打印的内容',
    hint: '请先在列表中选择资产，再点“标签”。',
    toList: '前往资产列表',
    which: '打印范围',
    ticked: (n: number) => `已选 ${n} 件资产`,
    places: (n: number) => `已选 ${n} 个位置`,
    allPlaces: '全部位置',
    supplies: (n: number) => `${n} 种物料`,
    filter: '列表筛选出的全部资产',
    fresh: (n: number) => `打开本页后登记的 ${n} 件资产`,
    look: '重新查看',
    copies: '每个份数',
    skip: '首页已用掉的标签数',
    count: (labels: number, pages: number) => `${labels} 个标签，共 ${pages} 页`,
    missing: (n: number) => `${n} 个无法生成标签：`,
    reasons: {
      NOT_FOUND: '已删除，或属于他人',
      NOT_ASCII: '编号含 Code 128 不支持的字符',
      TOO_LONG: '编号对此标签过长',
    },
  },
})

export default function Labels() {
  const orgId = useAddressOwner()
  return (
    <Owned orgId={orgId}>
      <AssetLabels />
    </Owned>
  )
}

type Which = 'ticked' | 'filter' | 'fresh'
type Source = NonNullable<LabelBody['source']>

const SUPPLY_FILTERS = ['keyword', 'kind', 'low', 'categoryId', 'locationId']

/** The supplies that meet the filters of the address, which are those of their list. */
function useSupplyIds(isUsed: boolean): readonly number[] {
  const [params] = useSearchParams()
  const owned = useOwnerQuery()
  const filters = Object.fromEntries(
    SUPPLY_FILTERS.flatMap((name) => (params.get(name) ? [[name, params.get(name)]] : [])),
  )
  const { data } = useAll('supplies.list', { query: { ...owned, ...filters } }, { enabled: isUsed })
  return useMemo(() => (data ?? []).map(({ id }) => id), [data])
}

/** The ids of the address, or those that were too many for it. */
function useTicked(): readonly number[] {
  const [params] = useSearchParams()
  const { state } = useLocation() as { state: { ids?: readonly number[] } | null }
  const given = params.get('ids') ?? ''
  return useMemo(
    () => state?.ids ?? [...new Set(given.split(',').map(Number))].filter((id) => Number.isSafeInteger(id) && id > 0),
    [state, given],
  )
}

/** The things that were chosen, and what is known about them before the server counts them. */
function useChosen(which: Which, ticked: readonly number[], source: Source) {
  const [params] = useSearchParams()
  const owned = useOwnerQuery()
  const { orgId: _, ids: __, ...filters } = filtersOf(params)
  const query = { ...filters, ...owned }
  // The newest asset when the page was opened: those with a greater id were registered later.
  const { data: newest } = useQuery({
    queryKey: ['labels', 'newest', owned],
    queryFn: async () =>
      (await call('assets.list', { query: { ...owned, sort: '-createdAt', size: 1 } })).items[0]?.id ?? 0,
    staleTime: Infinity,
    gcTime: 0,
    enabled: source === 'ASSET',
  })
  const fresh = useQuery({
    queryKey: ['labels', 'fresh', owned, newest],
    queryFn: () => newerThan(owned, newest!),
    enabled: newest !== undefined,
    refetchOnWindowFocus: 'always',
  })
  const places = useLocations()
  const supplies = useSupplyIds(source === 'SUPPLY' && ticked.length === 0)
  const all = source === 'LOCATION' ? places.map(({ id }) => id) : supplies
  const ids = which === 'fresh' ? (fresh.data ?? []) : ticked.length > 0 ? ticked : all
  const chosen: Chosen | undefined =
    which === 'filter'
      ? { filter: filterBody(query), ...(query.sort !== undefined && { sort: query.sort }) }
      : ids.length > 0
        ? { ids: [...ids] }
        : undefined
  return { chosen, query, fresh, count: ids.length }
}

function AssetLabels() {
  const t = useTexts(words)
  const owner = useOwner()
  const owned = useOwnerQuery()
  const [params] = useSearchParams()
  const isPlaces = params.get('source') === 'LOCATION' && owner !== null
  const isSupplies = params.get('source') === 'SUPPLY'
  const source: Source = isPlaces ? 'LOCATION' : isSupplies ? 'SUPPLY' : 'ASSET'
  const ticked = useTicked()
  const [which, setWhich] = useState<Which>(
    ticked.length > 0 || source !== 'ASSET' ? 'ticked' : params.has('all') ? 'filter' : 'fresh',
  )
  const [settings, setSettings] = useState({ ...FIRST_SETTINGS, ...(isPlaces && { fields: ['name', 'location'] }) })
  const [copies, setCopies] = useState(1)
  const [skip, setSkip] = useState(0)
  const { chosen, query, fresh, count } = useChosen(which, ticked, source)
  const isSheet = settings.media.type === 'SHEET'
  const order: Omit<LabelBody, 'format'> | undefined = chosen && {
    ...owned,
    ...chosen,
    ...(source !== 'ASSET' && { source }),
    copies,
    skip: isSheet ? skip : 0,
    profile: profileBody(settings),
  }
  const choices = [
    ...(isSupplies ? [{ id: 'ticked', name: t.supplies(count) }] : []),
    ...(ticked.length > 0 && !isSupplies
      ? [{ id: 'ticked', name: isPlaces ? t.places(ticked.length) : t.ticked(ticked.length) }]
      : []),
    ...(isPlaces && ticked.length === 0 ? [{ id: 'ticked', name: t.allPlaces }] : []),
    ...(source !== 'ASSET'
      ? []
      : [
          { id: 'filter', name: t.filter },
          { id: 'fresh', name: t.fresh(fresh.data?.length ?? 0) },
        ]),
  ]
  return (
    <Page
      title={t.title}
      back={isPlaces ? `/orgs/${owner.id}?tab=locations` : isSupplies ? '/assets/supplies' : '/assets'}
    >
      <Box sx={{ display: 'grid', gap: 3, gridTemplateColumns: { md: '360px minmax(0, 1fr)' }, alignItems: 'start' }}>
        <Card>
          <CardContent component={Stack} spacing={2}>
            <ChoiceField label={t.which} value={which} onChange={setWhich} choices={choices} />
            {which === 'fresh' && (
              <Button size="small" onClick={() => void fresh.refetch()} sx={{ alignSelf: 'flex-start' }}>
                {t.look}
              </Button>
            )}
            <LabelProfiles settings={settings} onChange={setSettings} />
            <LabelSettings settings={settings} onChange={setSettings} isPlaces={isPlaces} />
            <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: '1fr 1fr' }}>
              <NumberSetting
                name="copies"
                label={t.copies}
                value={copies}
                onChange={(n) => setCopies(Math.min(20, Math.max(1, Math.floor(n || 1))))}
              />
              {isSheet && (
                <NumberSetting
                  name="skip"
                  label={t.skip}
                  value={skip}
                  onChange={(n) => setSkip(Math.min(500, Math.max(0, Math.floor(n || 0))))}
                />
              )}
            </Box>
          </CardContent>
        </Card>
        <Stack spacing={2}>
          <AddressWarning />
          {order === undefined ? (
            <EmptyState
              icon={LabelIcon}
              title={t.nothing}
              text={t.hint}
              action={
                <Button component={Link} to="/assets" variant="contained">
                  {t.toList}
                </Button>
              }
            />
          ) : (
            <>
              <LabelPicture order={order} query={query} />
              <Counted order={order} />
              <LabelFiles order={order} query={query} settings={settings} />
            </>
          )}
        </Stack>
      </Box>
    </Page>
  )
}

/** How many labels there will be, and what has none. */
function Counted({ order }: { order: Omit<LabelBody, 'format'> }) {
  const t = useTexts(words)
  const { data, error } = useCall('assets.countLabels', { body: { ...order, format: 'PDF' } }, { keepPrevious: true })
  if (error !== null) return <ErrorNotice error={error} />
  if (data === undefined) return null
  const reasons = Object.entries(Object.groupBy(data.missing, ({ reason }) => reason))
  return (
    <>
      <Typography component="output">{t.count(data.labels, data.pages)}</Typography>
      {reasons.length > 0 && (
        <Alert severity="warning">
          {t.missing(data.missing.length)}
          {reasons.map(([reason, some]) => (
            <Typography key={reason} variant="body2">
              {some.length} · {t.reasons[reason as keyof typeof t.reasons]}
            </Typography>
          ))}
        </Alert>
      )}
    </>
  )
}

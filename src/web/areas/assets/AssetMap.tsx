/** Assets with a position, in groups of places that are near each other, with links to a map. */

import { NearMe, Place, TravelExplore } from '@mui/icons-material'
import { Box, Button, Card, Stack, Typography } from '@mui/material'
import { Link, useSearchParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { useMapAddress } from '../../ui/MapLink.tsx'
import { Page } from '../../ui/Page.tsx'
import { filtersOf } from './AssetFilters.tsx'
import { AssetTabs, Status } from './parts.tsx'

const words = texts({
  en: {
    title: 'Map of assets',
    text: (n: number) => (n === 1 ? '1 asset with a position' : `${n} assets with a position`),
    empty: 'No asset has a position',
    emptyText: 'Give an asset a latitude and longitude in its form, under “Position”.',
    near: (n: number) => `${n} assets near each other`,
    zoom: 'Show them',
    back: 'Show all again',
    map: 'Map',
    open: (name: string) => `Show ${name} on a map`,
  },
  zh: {
    title: '资产地图',
    text: (n: number) => `${n} 件资产有经纬度`,
    empty: '没有带经纬度的资产',
    emptyText: '可在资产表单的“经纬度”中填写纬度和经度。',
    near: (n: number) => `相邻的 ${n} 件资产`,
    zoom: '展开',
    back: '显示全部',
    map: '地图',
    open: (name: string) => `在地图上查看 ${name}`,
  },
})

export default function AssetMap() {
  const t = useTexts(words)
  const [params, setParams] = useSearchParams()
  const bbox = params.get('bbox')
  const query = useCall('assets.map', { query: { ...filtersOf(params), ...(bbox !== null && { bbox }) } })
  return (
    <Page title={t.title}>
      <AssetTabs />
      {bbox !== null && (
        <Button startIcon={<TravelExplore />} onClick={() => setParams({})} sx={{ mb: 1 }}>
          {t.back}
        </Button>
      )}
      <Answer query={query}>
        {({ total, items, clusters }) =>
          total === 0 ? (
            <EmptyState icon={Place} title={t.empty} text={t.emptyText} />
          ) : (
            <>
              <Typography variant="body2" color="text.secondary" sx={{ mb: 1 }}>
                {t.text(total)}
              </Typography>
              <Card variant="outlined" component="ul" sx={{ p: 0, m: 0, listStyle: 'none' }}>
                {clusters.map(({ count, latitude, longitude, bbox: box }) => (
                  <Row
                    key={box.join()}
                    title={t.near(count)}
                    latitude={latitude}
                    longitude={longitude}
                    action={<Button onClick={() => setParams({ bbox: box.join(',') })}>{t.zoom}</Button>}
                  />
                ))}
                {items.map(({ id, name, assetNo, status, latitude, longitude }) => (
                  <Row
                    key={id}
                    title={name}
                    to={`/assets/${id}`}
                    note={assetNo}
                    latitude={latitude}
                    longitude={longitude}
                    action={<Status status={status} />}
                  />
                ))}
              </Card>
            </>
          )
        }
      </Answer>
    </Page>
  )
}

interface RowProps {
  title: string
  to?: string
  note?: string
  latitude: number
  longitude: number
  action: React.ReactNode
}

function Row({ title, to, note = '', latitude, longitude, action }: RowProps) {
  const t = useTexts(words)
  const address = useMapAddress()
  const place = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`
  return (
    <Stack
      component="li"
      direction="row"
      spacing={2}
      sx={{
        alignItems: 'center',
        px: 2,
        py: 1,
        borderBottom: 1,
        borderColor: 'divider',
        '&:last-of-type': { borderBottom: 0 },
      }}
    >
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Typography
          {...(to !== undefined && { component: Link, to })}
          sx={{ fontWeight: 600, color: 'inherit', overflowWrap: 'anywhere' }}
        >
          {title}
        </Typography>
        <Typography variant="body2" color="text.secondary">
          {[note, place].filter(Boolean).join(' · ')}
        </Typography>
      </Box>
      {action}
      <Button
        href={address(latitude, longitude, title)}
        target="_blank"
        rel="noopener noreferrer"
        startIcon={<NearMe />}
        aria-label={t.open(title)}
      >
        {t.map}
      </Button>
    </Stack>
  )
}

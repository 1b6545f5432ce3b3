/** Assets with a position: a drawn plane without a map of others, and beside it the same as a list, with links to a map. */

import { NearMe, Place, TravelExplore } from '@mui/icons-material'
import { Box, Button, Card, Stack, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearchParams } from 'react-router'

import type { ApiError } from '../../api/errors.ts'
import { number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { useMapAddress } from '../../ui/MapLink.tsx'
import { Page } from '../../ui/Page.tsx'
import { filtersOf } from './AssetFilters.tsx'
import { AssetTabs, Status } from './parts.tsx'
import { type Box as Part, projection, readPlane, scaleBar, type Shown } from './plane.ts'

const words = texts({
  en: {
    title: 'Map of assets',
    text: (n: number) => (n === 1 ? '1 asset with a position' : `${n} assets with a position`),
    empty: 'No asset has a position',
    emptyText: 'Give an asset a latitude and longitude in its form, under “Position”.',
    near: (n: number) => (n === 1 ? '1 asset' : `${n} assets near each other`),
    zoom: 'Show them',
    back: 'Show all again',
    plane: 'Plane of positions, north is up. The list has the same.',
    north: 'N',
    meters: (n: number) => (n < 1000 ? `${number(n)} m` : `${number(n / 1000)} km`),
    map: 'Map',
    open: (name: string) => `Show ${name} on a map`,
  },
  zh: {
    title: '资产地图',
    text: (n: number) => `${n} 件资产有经纬度`,
    empty: '没有带经纬度的资产',
    emptyText: '可在资产表单的“经纬度”中填写纬度和经度。',
    near: (n: number) => (n === 1 ? '1 件资产' : `相邻的 ${n} 件资产`),
    zoom: '展开',
    back: '显示全部',
    plane: '位置平面图，上方为北。列表内容相同。',
    north: '北',
    meters: (n: number) => (n < 1000 ? `${number(n)} 米` : `${number(n / 1000)} 公里`),
    map: '地图',
    open: (name: string) => `在地图上查看 ${name}`,
  },
})

export default function AssetMap() {
  const t = useTexts(words)
  const [params, setParams] = useSearchParams()
  const bbox = params.get('bbox')
  const filters = filtersOf(params)
  const query = useQuery<Shown, ApiError>({
    queryKey: ['assets', 'map', filters, bbox],
    queryFn: () => readPlane(filters, bbox === null ? undefined : (bbox.split(',').map(Number) as unknown as Part)),
  })
  const zoom = (box: readonly number[]) =>
    setParams((now) => {
      now.set('bbox', box.join(','))
      return now
    })
  return (
    <Page title={t.title}>
      <AssetTabs />
      {bbox !== null && (
        <Button
          startIcon={<TravelExplore />}
          onClick={() => setParams((now) => (now.delete('bbox'), now))}
          sx={{ mb: 1 }}
        >
          {t.back}
        </Button>
      )}
      <Answer query={query}>
        {({ map: { total, items, clusters }, box: part }) =>
          total === 0 ? (
            <EmptyState icon={Place} title={t.empty} text={t.emptyText} />
          ) : (
            <>
              <Typography variant="body2" color="text.secondary" sx={{ mb: 1 }}>
                {t.text(total)}
              </Typography>
              <Plane map={{ total, items, clusters }} box={part} onZoom={zoom} />
              <Card variant="outlined" component="ul" sx={{ p: 0, m: 0, listStyle: 'none' }}>
                {clusters.map(({ count, latitude, longitude, bbox: box }) => (
                  <Row
                    key={box.join()}
                    title={t.near(count)}
                    latitude={latitude}
                    longitude={longitude}
                    action={<Button onClick={() => zoom(box)}>{t.zoom}</Button>}
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

/** Pixels. */
const WIDTH = 720
const HEIGHT = 400
const EDGE = 28

/** For the mouse and the eye; keyboards and screen readers have the list. */
function Plane({ map: { items, clusters }, box, onZoom }: Shown & { onZoom: (box: readonly number[]) => void }) {
  const t = useTexts(words)
  const navigate = useNavigate()
  const { at, meters } = projection(box, WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE)
  const bar = scaleBar(meters)
  const length = (bar / meters) * (WIDTH - 2 * EDGE)
  return (
    <Card variant="outlined" sx={{ mb: 2, maxWidth: WIDTH }}>
      <Box
        component="svg"
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a drawing whose parts are clicked cannot be an <img>
        role="img"
        aria-label={t.plane}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        sx={{
          display: 'block',
          width: '100%',
          color: 'text.secondary',
          '& text': { fill: 'currentColor', fontSize: 14 },
          '& .spot': { fill: (theme) => theme.palette.primary.main, cursor: 'pointer' },
          '& .count': { fill: (theme) => theme.palette.primary.contrastText, pointerEvents: 'none' },
        }}
      >
        <g transform={`translate(${EDGE} ${EDGE})`}>
          {clusters.map(({ count, latitude, longitude, bbox }) => {
            const [x, y] = at(longitude, latitude)
            return (
              <g key={bbox.join()}>
                <circle
                  className="spot"
                  cx={x}
                  cy={y}
                  r={Math.min(26, 12 + 3 * Math.log2(count))}
                  onClick={() => onZoom(bbox)}
                >
                  <title>{t.near(count)}</title>
                </circle>
                <text className="count" x={x} y={y + 5} textAnchor="middle">
                  {count}
                </text>
              </g>
            )
          })}
          {items.map(({ id, name, latitude, longitude }) => {
            const [x, y] = at(longitude, latitude)
            return (
              <circle key={id} className="spot" cx={x} cy={y} r={7} onClick={() => void navigate(`/assets/${id}`)}>
                <title>{name}</title>
              </circle>
            )
          })}
        </g>
        <g transform={`translate(${WIDTH - 20} 10)`} stroke="currentColor" fill="none">
          <path d="M0 26V2m-5 6 5-6 5 6" />
          <text y={42} textAnchor="middle" stroke="none">
            {t.north}
          </text>
        </g>
        <path d={`M12 ${HEIGHT - 16}v6h${length}v-6`} stroke="currentColor" fill="none" />
        <text x={18 + length} y={HEIGHT - 8}>
          {t.meters(bar)}
        </text>
      </Box>
    </Card>
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

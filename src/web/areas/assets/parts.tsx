/** Small parts that several pages of the area share. */

import { Print, type SvgIconComponent } from '@mui/icons-material'
import { Box, Button, Checkbox, IconButton, Stack, Tab, Tabs, Tooltip, Typography } from '@mui/material'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'react-router'

import type { AssetPhoto, AssetStatus, OperationId } from '../../api/types.ts'
import { serverTime } from '../../browser/server-time.ts'
import { common } from '../../i18n/common.ts'
import { useEnum } from '../../i18n/enums.ts'
import { things } from '../../i18n/things.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { MosaicCover } from '../../ui/Mosaic.tsx'
import { useOwnedPath } from '../../ui/Owned.tsx'
import { WINDOWED } from '../../ui/windowed.tsx'

const words = texts({
  en: {
    ...common.en,
    labels: (n: number) => (n === 1 ? 'Print label' : `Print ${n} labels`),
    parts: 'Parts of the asset register',
    assets: 'Assets',
    supplies: things.supply.many.en,
    loans: 'Loans',
    maintenance: 'Maintenance',
    reports: 'Reports',
    inventories: 'Stock-taking',
    categories: 'Categories',
    map: 'Map',
    fields: 'Fields',
  },
  zh: {
    ...common.zh,
    labels: (n: number) => (n === 1 ? '打印标签' : `打印 ${n} 个标签`),
    parts: '资产管理',
    assets: '资产',
    supplies: things.supply.many.zh,
    loans: '借还',
    maintenance: '维护',
    reports: '报表',
    inventories: '盘点',
    categories: '分类',
    map: '地图',
    fields: '字段',
  },
})

const PARTS: readonly (readonly [Exclude<keyof (typeof words)['en'], 'labels'>, string, OperationId])[] = [
  ['assets', '/assets', 'assets.list'],
  ['supplies', '/assets/supplies', 'supplies.list'],
  ['loans', '/assets/loans', 'assets.loans'],
  ['inventories', '/assets/inventories', 'inventories.list'],
  ['maintenance', '/assets/maintenance', 'assetMaintenance.due'],
  ['reports', '/assets/reports', 'assetReports.depreciation'],
  ['categories', '/assets/categories', 'assetCategories.tree'],
  ['map', '/assets/map', 'assets.map'],
  ['import', '/assets/import', 'assets.import'],
  ['fields', '/assets/fields', 'metadata.fields'],
]

/** Prints the labels of assets that were registered in a row. */
export function LabelsButton({ ids }: { ids: readonly number[] }) {
  const t = useTexts(words)
  const ownedPath = useOwnedPath()
  return (
    <Button
      component={Link}
      to={ownedPath(`/assets/labels?ids=${ids.join(',')}`)}
      variant="outlined"
      startIcon={<Print />}
    >
      {t.labels(ids.length)}
    </Button>
  )
}

/** The tabs below the title of the pages of the area. */
export function AssetTabs() {
  const t = useTexts(words)
  const may = useMay()
  const { pathname } = useLocation()
  return (
    <Tabs
      component="nav"
      aria-label={t.parts}
      value={pathname === '/assets/imports' ? '/assets/import' : pathname}
      variant="scrollable"
      sx={{ mb: 2, borderBottom: 1, borderColor: 'divider', displayPrint: 'none' }}
    >
      {PARTS.filter(([, , operation]) => may(operation)).map(([key, path]) => (
        <Tab key={key} label={t[key]} value={path} component={Link} to={path} />
      ))}
    </Tabs>
  )
}

const DOTS: Readonly<Record<AssetStatus, string>> = {
  IN_USE: 'success.main',
  IDLE: 'text.disabled',
  REPAIR: 'warning.main',
  LOST: 'error.main',
  SCRAPPED: 'text.secondary',
}

/** The status as a word with a dot of its color. */
export function Status({ status }: { status: AssetStatus }) {
  const word = useEnum('assetStatus')
  return (
    <Stack component="span" direction="row" spacing={0.75} sx={{ alignItems: 'center', whiteSpace: 'nowrap' }}>
      <Box component="span" sx={{ width: 8, height: 8, borderRadius: '50%', bgcolor: DOTS[status], flexShrink: 0 }} />
      <Typography component="span" variant="body2">
        {word(status)}
      </Typography>
    </Stack>
  )
}

/** The first photo of an asset, or the tiles of its name. */
export function Cover({ photos, name, size = 56 }: { photos: readonly AssetPhoto[]; name: string; size?: number }) {
  const [photo] = photos
  if (photo === undefined) return <MosaicCover seed={name} size={size} />
  return (
    <Box
      component="img"
      loading="lazy"
      src={photo.thumbnailUrl ?? photo.url}
      alt=""
      sx={{ width: size, height: size, borderRadius: 1.5, flexShrink: 0, objectFit: 'cover' }}
    />
  )
}

interface ThingRowProps {
  to: string
  thing: { readonly name: string; readonly photos: readonly AssetPhoto[] }
  /** Parts of the line below the name. Empty ones are left out. */
  line: readonly (string | null | undefined)[]
  /** Below that line. */
  more: ReactNode
  /** Further columns. */
  children: ReactNode
  /** The widths of all columns, first of the cover and the name. */
  columns: string | { xs: string; md: string }
  isSelected: boolean
  onSelect: (isSelected: boolean) => void
  selectLabel: string
}

/** A row of the list of assets or supplies, which can be selected. */
export function ThingRow(props: ThingRowProps) {
  const { to, thing, line, more, children, columns, isSelected, onSelect, selectLabel } = props
  return (
    <Box
      component="li"
      sx={{
        display: 'flex',
        alignItems: 'center',
        borderBottom: 1,
        borderColor: 'divider',
        '&:last-of-type': { borderBottom: 0 },
        bgcolor: isSelected ? 'background.tint' : undefined,
        ...WINDOWED,
        '&:hover': { bgcolor: 'action.hover' },
      }}
    >
      <Checkbox
        checked={isSelected}
        onChange={(_, isChecked) => onSelect(isChecked)}
        slotProps={{ input: { 'aria-label': selectLabel } }}
      />
      <Box
        component={Link}
        to={to}
        sx={{
          flex: 1,
          minWidth: 0,
          py: 1,
          pr: 2,
          color: 'inherit',
          textDecoration: 'none',
          display: 'grid',
          alignItems: 'center',
          columnGap: 2,
          gridTemplateColumns: columns,
        }}
      >
        <Cover photos={thing.photos} name={thing.name} />
        <Box sx={{ minWidth: 0 }}>
          <Typography noWrap sx={{ fontWeight: 600 }}>
            {thing.name}
          </Typography>
          <Typography noWrap variant="body2" color="text.secondary">
            {line.filter(Boolean).join(' · ')}
          </Typography>
          {more}
        </Box>
        {children}
      </Box>
    </Box>
  )
}

/** A line of facts: a label in grey and the value. Empty values are left out. */
export function Fact({ label, children }: { label: string; children: ReactNode }) {
  if (children === null || children === undefined || children === '' || children === false) return null
  return (
    <Box sx={{ minWidth: 0 }}>
      <Typography component="dt" variant="body2" color="text.secondary">
        {label}
      </Typography>
      <Typography component="dd" sx={{ m: 0, overflowWrap: 'anywhere' }}>
        {children}
      </Typography>
    </Box>
  )
}

/** The time of the server at which the page was opened. */
export function useOpenedAt(): number {
  const [now] = useState(serverTime)
  return now
}

interface ActionProps {
  icon: SvgIconComponent
  label: string
  onClick: () => void
  isOff?: boolean
}

/** A button with an icon, whose name is shown when the mouse is over it. */
export const Action = ({ icon: Icon, label, onClick, isOff = false }: ActionProps) => (
  <Tooltip title={label}>
    <span>
      <IconButton aria-label={label} onClick={onClick} disabled={isOff} sx={{ width: 44, height: 44 }}>
        <Icon fontSize="small" />
      </IconButton>
    </span>
  </Tooltip>
)

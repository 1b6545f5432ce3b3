/** Labels of assets to print: `/assets/labels?ids=1,2`. Only the labels are on the paper. */

import { Print } from '@mui/icons-material'
import { Box, Button, Checkbox, FormControlLabel, Stack, Typography } from '@mui/material'
import { useState } from 'react'
import { useSearchParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useSession } from '../../session/session.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { labelPicture } from './AssetLabel.tsx'
import { Choice } from './parts.tsx'

const words = texts({
  en: {
    title: 'Labels',
    print: 'Print',
    help: 'Print on label sheets or on paper to cut. In the print dialog, choose 100 % and no headers. “Save as PDF” is there too.',
    size: 'Size',
    sizes: { small: 'Small (40 × 20 mm)', medium: 'Medium (63 × 30 mm)', large: 'Large (90 × 50 mm)' },
    name: 'Name',
    number: 'Number',
    owner: 'Organization',
    alt: (number: string) => `QR code of ${number}`,
  },
  zh: {
    title: '标签',
    print: '打印',
    help: '可打印在标签纸上，或打印后裁剪。打印时请选择 100% 比例、不要页眉页脚；也可另存为 PDF。',
    size: '尺寸',
    sizes: { small: '小（40 × 20 毫米）', medium: '中（63 × 30 毫米）', large: '大（90 × 50 毫米）' },
    name: '名称',
    number: '编号',
    owner: '组织',
    alt: (number: string) => `${number} 的二维码`,
  },
})

/** Millimetres: width, height, edge of the code, and the size of the text in points. */
const SIZES = { small: [40, 20, 16, 7], medium: [63, 30, 25, 9], large: [90, 50, 42, 12] } as const
type Size = keyof typeof SIZES

export default function Labels() {
  const t = useTexts(words)
  const { workspace } = useSession()
  const [params] = useSearchParams()
  const [size, setSize] = useState<Size>('medium')
  const [shown, setShown] = useState({ name: true, number: true, owner: workspace !== null })
  const ids = (params.get('ids') ?? '').split(',').map(Number).filter(Boolean)
  const query = useCall('assets.list', { query: { ...ownerQuery(), ids: ids.slice(0, 100), size: 100 } })
  const [width, height, edge, points] = SIZES[size]
  return (
    <Page
      title={t.title}
      back="/assets"
      actions={
        <Button variant="contained" startIcon={<Print />} onClick={() => window.print()}>
          {t.print}
        </Button>
      }
    >
      <Stack
        direction="row"
        useFlexGap
        spacing={1}
        sx={{ flexWrap: 'wrap', alignItems: 'center', mb: 2, displayPrint: 'none' }}
      >
        <Choice
          label={t.size}
          value={size}
          choices={Object.entries(t.sizes).map(([id, name]) => ({ id, name }))}
          onChange={(next) => setSize(next as Size)}
        />
        {(['name', 'number', 'owner'] as const)
          .filter((part) => part !== 'owner' || workspace !== null)
          .map((part) => (
            <FormControlLabel
              key={part}
              label={t[part]}
              control={
                <Checkbox checked={shown[part]} onChange={(_, isOn) => setShown((now) => ({ ...now, [part]: isOn }))} />
              }
            />
          ))}
        <Typography variant="body2" color="text.secondary" sx={{ flexBasis: '100%' }}>
          {t.help}
        </Typography>
      </Stack>
      <Answer query={query}>
        {({ items }) => (
          <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: '2mm' }}>
            {items.map((asset) => (
              <Box
                key={asset.id}
                sx={{
                  width: `${width}mm`,
                  height: `${height}mm`,
                  p: '1.5mm',
                  display: 'flex',
                  gap: '1.5mm',
                  alignItems: 'center',
                  // Labels are dark on white, on the screen as on the paper.
                  bgcolor: '#fff',
                  color: '#000',
                  border: '0.2mm solid #bbb',
                  borderRadius: '1mm',
                  breakInside: 'avoid',
                  overflow: 'hidden',
                }}
              >
                <Box
                  component="img"
                  src={labelPicture(asset.qrContent)}
                  alt={t.alt(asset.assetNo)}
                  sx={{ width: `${edge}mm`, height: `${edge}mm`, flexShrink: 0 }}
                />
                <Box sx={{ minWidth: 0, fontSize: `${points}pt`, lineHeight: 1.25, overflowWrap: 'anywhere' }}>
                  {shown.name && <Box sx={{ fontWeight: 650 }}>{asset.name}</Box>}
                  {shown.number && <Box>{asset.assetNo}</Box>}
                  {shown.owner && workspace !== null && <Box sx={{ fontSize: '0.85em' }}>{workspace.name}</Box>}
                </Box>
              </Box>
            ))}
          </Box>
        )}
      </Answer>
    </Page>
  )
}

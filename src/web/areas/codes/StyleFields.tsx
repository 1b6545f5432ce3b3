/** Colours, error correction and margin of a code, with a warning if scanners will not read it. */

import { Alert, Box, Button, Stack, TextField, Typography } from '@mui/material'

import type { QrCodeStyleInput } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ChoiceField } from '../../ui/fields.tsx'

const words = texts({
  en: {
    fg: 'Colour of the code',
    bg: 'Background',
    level: 'Error correction',
    margin: 'Margin',
    auto: 'Automatic',
    levels: {
      L: 'L – 7 % may be damaged',
      M: 'M – 15 %, usual',
      Q: 'Q – 25 %, for labels outdoors',
      H: 'H – 30 %, for a logo on top',
    },
    modules: (n: number) => (n === 4 ? '4 – as scanners expect' : String(n)),
    reset: 'Black on white',
    low: 'The contrast is too low: many phones will not read this code. Make the code darker or the background lighter.',
    inverted: 'The code is lighter than its background. Many scanners cannot read such codes: exchange the colours.',
    narrow: 'With a margin below 2, the code must be printed on a background of its own colour.',
    style: 'Look',
  },
  zh: {
    fg: '二维码颜色',
    bg: '背景颜色',
    level: '容错级别',
    margin: '边距',
    auto: '自动',
    levels: {
      L: 'L – 可损坏 7 %',
      M: 'M – 15 %，常用',
      Q: 'Q – 25 %，适合户外标签',
      H: 'H – 30 %，适合叠加图标',
    },
    modules: (n: number) => (n === 4 ? '4 – 标准' : String(n)),
    reset: '恢复黑白',
    low: '对比度过低，许多手机无法识别。请加深二维码颜色或调浅背景。',
    inverted: '二维码比背景浅，许多扫码设备无法识别，请交换两种颜色。',
    narrow: '边距小于 2 时，请印在与背景同色的位置。',
    style: '样式',
  },
})

export interface StyleFieldsProps {
  style: QrCodeStyleInput
  onChange: (style: QrCodeStyleInput) => void
}

/** Contrast below which phones fail in poor light. WCAG asks for 3 for symbols too. */
const LOWEST_CONTRAST = 3

export function StyleFields({ style, onChange }: StyleFieldsProps) {
  const t = useTexts(words)
  const fg = style.fg ?? '000000'
  const bg = style.bg ?? 'ffffff'
  const color = (name: 'fg' | 'bg', value: string) => (
    <TextField
      label={t[name]}
      type="color"
      value={`#${value}`}
      sx={{ '& input': { height: 28, p: 0.75, boxSizing: 'content-box', cursor: 'pointer' } }}
      onChange={(event) => onChange({ ...style, [name]: event.target.value.slice(1) })}
    />
  )
  return (
    <Stack spacing={2}>
      <Box sx={{ display: 'flex', alignItems: 'center' }}>
        <Typography variant="h2" sx={{ flex: 1 }}>
          {t.style}
        </Typography>
        {(fg !== '000000' || bg !== 'ffffff') && (
          <Button size="small" onClick={() => onChange({ ...style, fg: null, bg: null })}>
            {t.reset}
          </Button>
        )}
      </Box>
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(2, minmax(0, 1fr))' }}>
        {color('fg', fg)}
        {color('bg', bg)}
        <ChoiceField
          label={t.level}
          value={style.level ?? null}
          onChange={(level) => onChange({ ...style, level })}
          choices={Object.entries(t.levels).map(([id, name]) => ({ id, name }))}
          none={t.auto}
        />
        <ChoiceField
          label={t.margin}
          value={style.margin ?? 4}
          onChange={(margin) => onChange({ ...style, margin })}
          choices={Array.from({ length: 11 }, (_, id) => ({ id, name: t.modules(id) }))}
        />
      </Box>
      <StyleWarning style={style} />
    </Stack>
  )
}

/** The reason why a code is hard to read; nothing if it is fine. */
function StyleWarning({ style: { fg, bg, margin } }: { style: QrCodeStyleInput }) {
  const t = useTexts(words)
  const [dark, light] = [luminance(fg ?? '000000'), luminance(bg ?? 'ffffff')]
  const contrast = (Math.max(dark, light) + 0.05) / (Math.min(dark, light) + 0.05)
  const warning =
    contrast < LOWEST_CONTRAST ? t.low : dark > light ? t.inverted : (margin ?? 4) < 2 ? t.narrow : undefined
  return warning === undefined ? null : <Alert severity="warning">{warning}</Alert>
}

/** Relative luminance of six hex digits as WCAG 2.2 defines it, 0 to 1. */
function luminance(hex: string): number {
  const [r, g, b] = [0, 2, 4].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}

/** Pictures of QR codes, drawn in the browser with the encoder of the server. */

import { Box, type SxProps, type Theme, Typography } from '@mui/material'
import { useMemo } from 'react'

import { encodeQr, type Level, QrTooLong, toSvg } from '#lib/qr/index.ts'

import { texts, useTexts } from '../i18n/words.ts'

const words = texts({
  en: { tooLong: 'Too long for a code' },
  zh: { tooLong: '内容过长，无法生成' },
})

export interface QrStyle {
  /** Six hex digits each. */
  readonly fg?: string | null | undefined
  readonly bg?: string | null | undefined
  readonly level?: Level | null | undefined
  /** Light modules around the code. */
  readonly margin?: number | null | undefined
}

/** The SVG of a code, as the server draws it; undefined if the content does not fit. Without a level M, or L if M is too small. */
export function qrSvg(content: string, { fg, bg, level, margin }: QrStyle = {}): string | undefined {
  const look = { size: 300, margin: margin ?? 4, fg: fg ?? '000000', bg: bg ?? 'ffffff' }
  for (const tried of level == null ? (['M', 'L'] as const) : [level])
    try {
      return toSvg(encodeQr(content, tried), look)
    } catch (error) {
      if (!(error instanceof QrTooLong)) throw error
    }
  return undefined
}

export interface QrPictureProps {
  content: string
  style?: QrStyle | undefined
  /** Address of the picture of a code with a design, which is shown instead. */
  url?: string | undefined
  /** Empty if the name is next to the picture. */
  alt: string
  /** CSS width; the picture is a square. */
  width: number | string
  /** White also in the dark theme, for a scanner in front of the screen. */
  isBright?: boolean
  sx?: SxProps<Theme>
}

export function QrPicture({ content, style, url, alt, width, isBright = false, sx }: QrPictureProps) {
  const t = useTexts(words)
  const { fg, bg, level, margin } = style ?? {}
  const source = useMemo(() => {
    if (url !== undefined) return url
    const svg = qrSvg(content, { fg, bg, level, margin })
    return svg && `data:image/svg+xml,${encodeURIComponent(svg)}`
  }, [content, url, fg, bg, level, margin])
  if (source === undefined)
    return (
      <Box sx={{ width, aspectRatio: '1', display: 'grid', placeItems: 'center', border: 1, borderColor: 'divider' }}>
        <Typography variant="caption" color="error" sx={{ p: 0.5, textAlign: 'center' }}>
          {t.tooLong}
        </Typography>
      </Box>
    )
  return (
    <Box
      component="img"
      src={source}
      alt={alt}
      sx={[
        { width, aspectRatio: '1', objectFit: 'contain', display: 'block', flexShrink: 0 },
        // White glows in the dark theme. Prints are white.
        ({ palette: { mode } }) =>
          mode === 'dark' && !isBright ? { '@media screen': { filter: 'brightness(0.85)' } } : {},
        ...(Array.isArray(sx) ? sx : [sx]),
      ]}
    />
  )
}

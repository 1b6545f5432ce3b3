/** Pictures of codes with a design, drawn in the browser as the server draws them. */

import { Box, type SxProps, type Theme, Typography } from '@mui/material'
import { useEffect, useMemo, useState } from 'react'

import { designSymbol, type Look, sceneOf, sceneToSvg } from '#lib/qr/design/index.ts'
import { QrTooLong } from '#lib/qr/index.ts'

import { texts, useTexts } from '../../../i18n/words.ts'
import type { LookValues } from './look-values.ts'

const words = texts({
  en: { tooLong: 'Too long for a code' },
  zh: { tooLong: '内容过长，无法生成' },
})

export interface Strip {
  readonly url: string
  readonly width: number
  readonly height: number
}

interface Size {
  readonly width: number
  readonly height: number
}

/** The size of a picture, once it is loaded. */
function useSize(url: string | null): Size | null {
  const [loaded, setLoaded] = useState<Size & { readonly url: string }>()
  useEffect(() => {
    if (url === null) return
    const image = new Image()
    const onLoad = () => setLoaded({ url, width: image.naturalWidth, height: image.naturalHeight })
    image.addEventListener('load', onLoad)
    image.src = url
    return () => image.removeEventListener('load', onLoad)
  }, [url])
  return loaded !== undefined && loaded.url === url ? loaded : null
}

export interface DesignPictureProps {
  content: string
  look: LookValues
  /** Instead of the stored picture of the words: the one that is being written. */
  strip?: Strip | null
  alt: string
  width: number | string
  sx?: SxProps<Theme>
}

export function DesignPicture({ content, look, strip, alt, width, sx }: DesignPictureProps) {
  const t = useTexts(words)
  const stripUrl = strip === undefined ? (look.frame?.url ?? null) : (strip?.url ?? null)
  const logoSize = useSize(look.logo?.url ?? null)
  const storedSize = useSize(strip === undefined ? stripUrl : null)
  const stripSize = strip === undefined ? storedSize : strip
  const drawn = useMemo(() => draw(content, look, logoSize, stripSize, alt), [content, look, logoSize, stripSize, alt])
  if (drawn === undefined)
    return (
      <Box sx={{ width, aspectRatio: '1', display: 'grid', placeItems: 'center', border: 1, borderColor: 'divider' }}>
        <Typography variant="caption" color="error" sx={{ p: 0.5, textAlign: 'center' }}>
          {t.tooLong}
        </Typography>
      </Box>
    )
  const { scene, source } = drawn
  const part = (place: typeof scene.logo, url: string | null) =>
    place !== null &&
    url !== null && (
      <Box
        component="img"
        src={url}
        alt=""
        sx={{
          position: 'absolute',
          left: `${(100 * place.x) / scene.width}%`,
          top: `${(100 * place.y) / scene.height}%`,
          width: `${(100 * place.width) / scene.width}%`,
          height: `${(100 * place.height) / scene.height}%`,
        }}
      />
    )
  return (
    <Box sx={[{ position: 'relative', width, lineHeight: 0, flexShrink: 0 }, ...(Array.isArray(sx) ? sx : [sx])]}>
      <Box component="img" src={source} alt={alt} sx={{ width: '100%', display: 'block', borderRadius: 1 }} />
      {part(scene.logo, look.logo?.url ?? null)}
      {part(scene.strip, stripUrl)}
    </Box>
  )
}

/** Undefined if the content does not fit. */
function draw(content: string, look: LookValues, logo: Size | null, strip: Size | null, title: string) {
  const drawn: Look = {
    ...look,
    logo: look.logo && { size: look.logo.size, plate: look.logo.plate, aspect: logo ? logo.width / logo.height : 1 },
    frame: look.frame && { position: look.frame.position, text: look.frame.text, color: look.frame.color, strip },
  }
  try {
    const scene = sceneOf(designSymbol(content, drawn), drawn)
    // Programs that draw an SVG as a picture load nothing from other addresses: logo and words lie above it.
    return { scene, source: `data:image/svg+xml,${encodeURIComponent(sceneToSvg(scene, { size: 300, title }))}` }
  } catch (error) {
    if (error instanceof QrTooLong) return undefined
    throw error
  }
}

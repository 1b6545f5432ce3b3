/** Links to a map: AutoNavi in Chinese, OpenStreetMap in English. The user opens it; nothing is loaded from it. */

import { Link, type LinkProps } from '@mui/material'

import { texts, useLocale, useTexts } from '../i18n/words.ts'

const words = texts({
  en: { onMap: (name: string) => `Show ${name} on a map` },
  zh: { onMap: (name: string) => `在地图上查看 ${name}` },
})

/** The address of a map with a mark. `geo:` links would open on phones only. */
export function useMapAddress(): (latitude: number, longitude: number, name?: string) => string {
  const locale = useLocale()
  return (latitude, longitude, name = '') =>
    locale === 'zh'
      ? `https://uri.amap.com/marker?position=${longitude},${latitude}&name=${encodeURIComponent(name)}&coordinate=wgs84`
      : `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`
}

export interface MapLinkProps extends Pick<LinkProps, 'color' | 'underline' | 'sx' | 'tabIndex'> {
  latitude: number
  longitude: number
  /** The name of the mark. */
  name?: string
  /** The position, if it is left out. */
  children?: React.ReactNode
}

export function MapLink({ latitude, longitude, name, children, ...look }: MapLinkProps) {
  const t = useTexts(words)
  const address = useMapAddress()
  const position = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`
  return (
    <Link
      href={address(latitude, longitude, name)}
      target="_blank"
      rel="noopener noreferrer"
      title={t.onMap(name || position)}
      {...look}
    >
      {children ?? position}
    </Link>
  )
}

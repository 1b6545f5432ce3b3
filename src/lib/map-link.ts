import type { Locale } from './localized.ts'

interface Place {
  readonly name: string
  readonly address: string
  readonly latitude: number | null
  readonly longitude: number | null
}

/** A map on the web: of a service that works in China for Chinese, otherwise OpenStreetMap. Undefined without a place. */
export function mapLink({ name, address, latitude, longitude }: Place, locale: Locale): string | undefined {
  const text = encodeURIComponent(address.toWellFormed())
  if (latitude !== null && longitude !== null)
    return locale === 'zh'
      ? `https://uri.amap.com/marker?position=${longitude},${latitude}&name=${encodeURIComponent(name.toWellFormed())}&coordinate=wgs84`
      : `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`
  if (address === '') return undefined
  return locale === 'zh'
    ? `https://uri.amap.com/search?keyword=${text}`
    : `https://www.openstreetmap.org/search?query=${text}`
}

/** Looks up addresses in a MaxMind DB file (.mmdb), as MaxMind, DB-IP and IPinfo publish them. The file is read into memory. */

import { readFileSync, statSync } from 'node:fs'

import { type CityResponse, Reader } from 'mmdb-lib'

import { BadGeoip } from './xdb.ts'

/** The largest databases of cities have 130 MB. */
const MAX_BYTES = 512 * 1024 * 1024

/** Names of places: IPinfo writes them as texts, others by language. */
type Named = { readonly names?: Readonly<Record<string, string>> } | string | undefined

interface Row {
  readonly country?: CityResponse['country'] | string
  /** Of an address that is used elsewhere than its country is known. */
  readonly registered_country?: CityResponse['country']
  /** Of IPinfo. */
  readonly country_code?: string
  readonly city?: Named
  readonly region?: Named
  readonly subdivisions?: readonly Named[]
}

export interface Mmdb {
  readonly path: string
  readonly widths: readonly (4 | 16)[]
  /** Creation time, epoch milliseconds. */
  readonly madeAt: number
  /** `ip`: an address of one of the widths. Empty texts if nothing is known. */
  lookup(ip: string): { readonly place: string; readonly country: string }
}

/** @throws BadGeoip if the file cannot be read or is not such a database. */
export function openMmdb(path: string): Mmdb {
  const reader = open(path)
  const { ipVersion, buildEpoch } = reader.metadata
  return {
    path,
    widths: ipVersion === 4 ? [4] : [4, 16],
    madeAt: buildEpoch.getTime(),
    lookup(ip) {
      const row = rowOf(reader, ip)
      return { place: placeOf(row), country: countryOf(row) }
    },
  }
}

function open(path: string): Reader<CityResponse> {
  const unreadable = (why: string) => new BadGeoip(`TESSERA_GEOIP_FILE: ${path} cannot be read${why}.`)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) throw unreadable(': there is no such file')
  if (stat.size > MAX_BYTES) throw unreadable(': it is larger than 512 MB')
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch {
    throw unreadable('')
  }
  try {
    const reader = new Reader<CityResponse>(bytes)
    // It throws here if the tree is cut off.
    reader.get('1.1.1.1')
    return reader
  } catch {
    throw new BadGeoip(`TESSERA_GEOIP_FILE: ${path} is not a MaxMind database (.mmdb) that this version can read.`)
  }
}

/** A damaged part of the file must not break a request. */
function rowOf(reader: Reader<CityResponse>, ip: string): Row {
  try {
    return (reader.get(ip) ?? {}) as Row
  } catch {
    return {}
  }
}

const nameOf = (named: Named): string =>
  typeof named === 'string' ? named : (named?.names?.['en'] ?? named?.names?.['zh-CN'] ?? '')

function placeOf({ city, region, subdivisions, country }: Row): string {
  return [city, region, subdivisions?.[0], country as Named].map(nameOf).find((name) => name !== '') ?? ''
}

function countryOf({ country, country_code: code, registered_country: registered }: Row): string {
  const found = code ?? (typeof country === 'string' ? country : (country?.iso_code ?? registered?.iso_code)) ?? ''
  return /^[A-Z]{2}$/.test(found) ? found : ''
}

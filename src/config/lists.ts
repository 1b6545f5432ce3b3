/** Parsers of settings that are lists. Each returns undefined if it does not accept the text. */

import { resolve } from 'node:path'

import { parseName } from '#lib/host-name.ts'
import { parseIp, parseRange } from '#lib/ip.ts'

import { parseOrigin } from './addresses.ts'

export function files(text: string, directory: string): string[] | undefined {
  if (text === 'none') return []
  const paths = text.split(',').map((path) => path.trim())
  return paths.some((path) => path === '' || path.includes('\0'))
    ? undefined
    : paths.map((path) => resolve(directory, path))
}

export function proxies(text: string): string[] | undefined {
  if (text === 'none') return []
  const ranges = text.split(/[\s,]+/).filter((part) => part !== '')
  return ranges.length > 0 && ranges.every(parseRange) ? ranges : undefined
}

export function origins(text: string): string[] | undefined {
  if (text === 'none') return []
  const given = text.split(/[\s,]+/).filter((part) => part !== '')
  // A host may contain an asterisk, but no browser sends such an origin.
  if (text.includes('*')) return undefined
  const parsed = given.map(parseOrigin).filter((each) => each !== undefined)
  return given.length > 0 && parsed.length === given.length ? [...new Set(parsed)] : undefined
}

export const MAX_DOMAINS = 20

/** Names that the internet knows: of two labels at least, and no addresses. Other forms become lower-case ASCII. */
export function domains(text: string): string[] | undefined {
  const given = text.split(/[\s,]+/).filter((part) => part !== '')
  const names = given.map((text) => {
    const name = parseName(text) ?? ''
    return name.replace('*.', '').includes('.') && !parseIp(name) ? name : ''
  })
  const isAccepted =
    names.length > 0 && names.length <= MAX_DOMAINS && !names.includes('') && !names[0]!.startsWith('*')
  return isAccepted ? [...new Set(names)] : undefined
}

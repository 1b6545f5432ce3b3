/** Files as other services export them, and their import. */

import { ok, type Person, type Reply } from '../harness/index.ts'

const json = (value: unknown, name: string) => new File([JSON.stringify(value)], name, { type: 'application/json' })
export const csv = (text: string | Uint8Array<ArrayBuffer>): File => new File([text], 'links.csv', { type: 'text/csv' })

const list = <T>(n: number, one: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => one(i))

/** As `GET /v4/groups/{guid}/bitlinks` answers. */
export const bitlyJson = (n: number): File =>
  json(
    {
      links: list(n, (i) => ({
        created_at: '2024-03-01T09:30:00+0000',
        id: `bit.ly/3xYz${i}`,
        link: `https://bit.ly/3xYz${i}`,
        custom_bitlinks: [],
        long_url: `https://example.com/bitly/${i}?a=1`,
        title: `Bitly ${i}`,
        archived: false,
        tags: ['spring', 'print'],
        deeplinks: [],
        references: { group: 'https://api-ssl.bitly.com/v4/groups/Bo1' },
      })),
      pagination: { total: n, size: 50, page: 1 },
    },
    'bitly.json',
  )

/** As `GET /links` answers. */
export const dubJson = (n: number, more: object = {}): File =>
  json(
    list(n, (i) => ({
      id: `clx${i}abc`,
      domain: 'dub.sh',
      key: `dub-${i}`,
      url: `https://example.com/dub/${i}`,
      archived: false,
      expiresAt: '2036-01-01T00:00:00.000Z',
      expiredUrl: 'https://example.com/over',
      password: 'secret',
      title: `Dub ${i}`,
      description: null,
      ios: `https://apps.apple.com/${i}`,
      android: `https://play.google.com/${i}`,
      geo: { DE: `https://example.de/${i}` },
      tags: [{ id: 't1', name: 'campaign', color: 'red' }],
      shortLink: `https://dub.sh/dub-${i}`,
      clicks: 40 + i,
      createdAt: '2024-05-01T00:00:00.000Z',
      ...more,
    })),
    'dub.json',
  )

/** As `GET /rest/v3/short-urls` answers. */
export const shlinkJson = (n: number, start = 'shl_'): File =>
  json(
    {
      shortUrls: {
        data: list(n, (i) => ({
          shortCode: `${start}${i}`,
          shortUrl: `https://s.example.org/${start}${i}`,
          longUrl: `https://example.com/shlink/${i}`,
          dateCreated: '2023-01-01T10:00:00+01:00',
          visitsSummary: { total: 7, nonBots: 5, bots: 2 },
          tags: ['a', 'b'],
          meta: { validSince: null, validUntil: null, maxVisits: 100 },
          domain: null,
          title: null,
          crawlable: false,
          forwardQuery: true,
        })),
        pagination: { currentPage: 1, pagesCount: 1, itemsPerPage: n, itemsInCurrentPage: n, totalItems: n },
      },
    },
    'shlink.json',
  )

export interface ImportFields {
  mode?: 'CREATE' | 'UPDATE' | 'UPSERT'
  keepSlugs?: boolean
  clearEmpty?: boolean
  dryRun?: boolean
  mapping?: string
  orgId?: string
}

export function importLinks(person: Person, file: File | undefined, fields: ImportFields = {}): Promise<Reply> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
  if (file !== undefined) form.set('file', file)
  return person.send('POST', '/api/qr-codes/import', { body: form })
}

export const imported = async (person: Person, file: File, fields: ImportFields = {}) =>
  ok(await importLinks(person, file, fields)).data

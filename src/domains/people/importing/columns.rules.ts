/** Which column of a file means what, by its heading. Pure. */

import type { Localized } from '#lib/localized.ts'
import { wordKey } from '#lib/spreadsheets/cells.ts'
import { type Mapping, parseMapping } from '#lib/spreadsheets/mapping.ts'

const NAMES = {
  username: ['username', 'user name', 'login', 'account', 'Benutzername', 'Anmeldename', '用户名', '账号', '登录名'],
  nickname: ['nickname', 'name', 'full name', 'display name', 'Anzeigename', '昵称', '姓名', '名字', '显示名称'],
  email: ['email', 'e-mail', 'mail', 'e-mail address', 'E-Mail-Adresse', '邮箱', '电子邮箱', '电子邮件', '邮箱地址'],
  phone: ['phone', 'phone number', 'mobile', 'telephone', 'Telefon', 'Handy', '手机', '手机号', '电话', '手机号码'],
  organization: [
    'organization',
    'organisation',
    'org',
    'class',
    'organization code',
    'Klasse',
    '组织',
    '组织码',
    '班级',
  ],
  role: ['role', 'Rolle', '角色'],
  language: ['language', 'Sprache', '语言'],
} as const
export type Key = keyof typeof NAMES
export const KEYS = Object.keys(NAMES) as Key[]

const byName = new Map(KEYS.flatMap((key) => [key, ...NAMES[key]].map((name) => [wordKey(name), key] as const)))

/** A column of the file. `key`: null for one that is left out. */
export interface FileColumn {
  readonly header: string
  readonly key: Key | null
}

export const mappingIn = (text: string): Mapping<Key> | Localized =>
  parseMapping(text, (key) => Object.hasOwn(NAMES, key))

/** Returns whether a heading names a column of users, by itself or by the mapping of the caller. */
export const headingsKnownTo =
  (mapping: Mapping<Key>) =>
  (heading: string): boolean =>
    mapping.has(wordKey(heading)) || byName.has(wordKey(heading))

/** The columns of a file by its headings, or the heading of a column that it has twice. The mapping comes first. */
export function matchColumns(
  headers: readonly string[],
  mapping: Mapping<Key>,
): readonly FileColumn[] | { readonly repeated: string } {
  const isMapped = (key: Key): boolean => headers.some((header) => mapping.get(wordKey(header)) === key)
  const used = new Set<Key>()
  const columns: FileColumn[] = []
  for (const header of headers) {
    const name = wordKey(header)
    const own = byName.get(name)
    const key = mapping.has(name) ? mapping.get(name)! : own === undefined || isMapped(own) ? null : own
    if (key !== null && used.has(key)) return { repeated: header }
    if (key !== null) used.add(key)
    columns.push({ header, key })
  }
  return columns
}

/** REF, ATTACHMENT and PHOTO: ids of other things. Whether they exist and who may see them is checked where they are looked up. */

import type { FieldConfig } from '#db/schema/meta.ts'

import {
  type Check,
  type Condition,
  filledFilter,
  integer,
  mustBeArray,
  mustBeString,
  noOrder,
  oneOf,
  part,
  type Problem,
  type TypeRules,
} from './types.model.ts'

export const REF_TARGETS = ['ASSET', 'USER', 'LOCATION', 'ACTIVITY'] as const

/** Of an ATTACHMENT or PHOTO, however it is configured. */
export const MAX_FILES = 20
const MAX_ACCEPTED = 50

const notAnId: Problem = { en: 'must be an id: a positive integer', zh: '必须是 ID（正整数）' }
const notIds: Problem = { en: 'must be an array of file ids', zh: '必须是文件 ID 列表' }

/** The id, or that of the object which answers contain instead. */
function idOf(value: unknown, key: 'id' | 'fileId'): number | undefined {
  const id = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : value
  return Number.isSafeInteger(id) && (id as number) > 0 ? (id as number) : undefined
}

const REF: TypeRules = {
  config: { target: oneOf(REF_TARGETS) },
  requires: ['target'],
  stores: 'number',
  parse(_, value) {
    const id = idOf(value, 'id')
    return id === undefined ? notAnId : [part({ number: id })]
  },
  value: (_, [stored]) => stored!.number,
  // The number, username or path of the target, which the caller looks up.
  toText: (_, value) => (typeof value === 'number' ? value : String(value)),
  fromText: (_, cell) => String(cell),
  filter(_, { equal, min, max }): Condition | Problem {
    if (min || max) return noOrder
    const id = /^\d{1,16}$/.test(equal ?? '') ? idOf(Number(equal), 'id') : undefined
    return id === undefined ? notAnId : { kind: 'range', min: id, max: id }
  },
  order: 'number',
}

const MEDIA_TYPE = /^[a-z\d][\w.+-]{0,60}\/(?:\*|[a-z\d][\w.+-]{0,99})$/
const EXTENSION = /^\.?[a-z\d][a-z\d.]{0,19}$/

const badAccept: Problem = {
  en: 'must be an array of MIME types (image/png, image/*) and extensions (.pdf)',
  zh: '必须是 MIME 类型（如 image/png、image/*）或扩展名（如 .pdf）的列表',
}

/** Extensions get a dot, so that they differ from media types. */
const accept: Check = (given) => {
  if (!Array.isArray(given)) return mustBeArray
  if (given.length > MAX_ACCEPTED)
    return { en: `must have at most ${MAX_ACCEPTED} items`, zh: `最多 ${MAX_ACCEPTED} 项` }
  const entries: string[] = []
  for (const entry of given) {
    if (typeof entry !== 'string') return mustBeString
    const text = entry.trim().toLowerCase()
    if (MEDIA_TYPE.test(text)) entries.push(text)
    else if (EXTENSION.test(text)) entries.push(text.startsWith('.') ? text : `.${text}`)
    else return badAccept
  }
  return entries.length === 0 ? undefined : [...new Set(entries)]
}

/** `defaultMax`: how many files a value has at most if the configuration does not say. */
const files = (defaultMax: number): TypeRules => ({
  config: { max: integer(1, MAX_FILES), accept },
  isList: true,
  stores: 'number',
  parse(config, value) {
    const max = (config['max'] as number | undefined) ?? defaultMax
    if (!Array.isArray(value)) return notIds
    if (value.length > max) return { en: `must have at most ${max} files`, zh: `最多 ${max} 个文件` }
    const ids = value.map((item) => idOf(item, 'fileId'))
    if (ids.includes(undefined)) return notIds
    if (new Set(ids).size < ids.length) return { en: 'must not contain duplicates', zh: '不能有重复项' }
    return ids.map((number) => part({ number: number! }))
  },
  value: (_, parts) => parts.map(({ number }) => number!),
  // The names of the files, which the caller looks up.
  toText: (_, value) => (value as readonly (string | number)[]).join('; '),
  fromText: (_, cell) => cell,
  filter: (_, given) => filledFilter(given),
})

export const REFERENCES = {
  REF,
  ATTACHMENT: { ...files(10), convertsFrom: ['PHOTO'] },
  PHOTO: files(5),
} satisfies Record<string, TypeRules>

/** The problem of a file that is not of a kind that the field takes. `mime` was found from the bytes of the file. */
export function fileProblem(
  field: { readonly type: string; readonly config: FieldConfig },
  file: { readonly mime: string; readonly name: string },
): Problem | undefined {
  if (field.type === 'PHOTO' && !file.mime.startsWith('image/'))
    return { en: 'must contain images only', zh: '只能包含图片' }
  const accepted = field.config['accept'] as readonly string[] | undefined
  const [mime = ''] = file.mime.toLowerCase().split(';')
  const name = file.name.toLowerCase()
  const isAccepted = (entry: string): boolean =>
    entry.startsWith('.')
      ? name.endsWith(entry)
      : entry.endsWith('/*')
        ? mime.startsWith(entry.slice(0, -1))
        : mime.trim() === entry
  if (accepted === undefined || accepted.some(isAccepted)) return undefined
  return { en: `must contain only ${accepted.join(', ')}`, zh: `只能包含 ${accepted.join('、')}` }
}

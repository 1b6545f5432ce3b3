/** The values in the form of a code, and the body of the request that they stand for. */

import type { ContentType, CreateQrCode, QrCode, QrCodeStyleInput } from '../../api/types.ts'
import { buildContent, type Fields, isFormType, parseContent } from './content.ts'

export interface Values {
  readonly name: string
  readonly contentType: ContentType
  readonly fields: Fields
  /** The content is written as text, because the form cannot write it, or because the user wants to. */
  readonly isRaw: boolean
  readonly raw: string
  /** The form was sent before the content was filled in. */
  readonly isIncomplete: boolean
  readonly isDynamic: boolean
  readonly isPublic: boolean
  /** A scan of a dynamic code opens the link in it at once, and not the public page. */
  readonly opensTarget: boolean
  /** The last part of the short link; empty for one that the server chooses, or the one that the code has. */
  readonly slug: string
  readonly style: QrCodeStyleInput
  /** Undefined: the default of the owner. */
  readonly designId: number | null | undefined
  readonly categoryId: number | null
  readonly tags: readonly string[]
  readonly remark: string
}

/** A link or a text, and its title. */
export interface Given {
  readonly text: string
  readonly title: string
}

/** The values of a new code with a link or text that another application has shared. */
export function valuesOfShared({ text, title }: Given): Partial<Values> {
  const isLink = /^https?:\/\/\S+$/i.test(text)
  return {
    name: title.slice(0, 100),
    contentType: isLink ? 'URL' : 'TEXT',
    fields: isLink ? { url: text } : { text },
  }
}

/** @param folder of a new code */
export function valuesOf(code: QrCode | undefined, folder: number | null): Values {
  const fields =
    code === undefined ? {} : isFormType(code.contentType) ? parseContent(code.contentType, code.content) : undefined
  return {
    name: code?.name ?? '',
    contentType: code?.contentType ?? 'URL',
    fields: fields ?? {},
    isRaw: fields === undefined,
    raw: fields === undefined ? code!.content : '',
    isIncomplete: false,
    isDynamic: code?.isDynamic ?? false,
    isPublic: code?.isPublic ?? false,
    opensTarget: code?.opens !== 'PAGE',
    slug: code?.slug ?? '',
    style: styleOf(code),
    designId: code?.designId,
    categoryId: code === undefined ? folder : code.categoryId,
    tags: code?.tags ?? [],
    remark: code?.remark ?? '',
  }
}

/** Values that are the defaults stay absent, so that the level follows the content. */
function styleOf(code: QrCode | undefined): QrCodeStyleInput {
  if (code === undefined) return {}
  const { fg, bg, level, margin } = code.style
  return { fg, bg, margin, ...(level !== 'M' && { level }) }
}

/** The text of the code; empty as long as required fields are. */
export function contentOf({ contentType, fields, isRaw, raw }: Values): string {
  if (isRaw) return raw
  return isFormType(contentType) ? buildContent(contentType, fields) : ''
}

/** The name of a code whose author gives none: the host of a link, or the beginning of the content. */
export function defaultName(content: string): string {
  const host = /^https?:\/\//i.test(content) ? URL.parse(content)?.host : undefined
  return host ?? (content.split('\n').find((line) => line.trim() !== '') ?? '').slice(0, 60)
}

export function bodyOf(values: Values): CreateQrCode {
  const { name, contentType, isDynamic, opensTarget, slug, style, tags, remark } = values
  const content = contentOf(values)
  return {
    name: name.trim() || defaultName(content),
    content,
    contentType,
    isDynamic,
    ...(isDynamic && { opens: opensTarget ? 'TARGET' : 'PAGE', slug: slug.trim() || null }),
    style,
    tags: [...tags],
    remark,
  }
}

/** A slug as long as those that the server chooses. */
const EXAMPLE_SLUG = '23456789'

/** The text in the picture after the form is saved. A link that is not known yet is one of the same length. */
export function contentAfter(values: Values, code: QrCode | undefined): string {
  const content = contentOf(values)
  if (!values.isDynamic || content === '') return content
  const wish = values.slug.trim().toLowerCase()
  const slug = wish === (code?.slug ?? '') ? undefined : wish || undefined
  if (code?.isDynamic && slug === undefined) return code.pictureContent
  // Pictures hold the link in upper case, which takes fewer modules.
  return `${location.origin}/q/${slug ?? code?.slug ?? EXAMPLE_SLUG}`.toUpperCase()
}

/** Where printed copies of a code lead. */
export const printedTarget = ({ isDynamic, shortUrl, publicUrl, content }: QrCode): string =>
  isDynamic ? (shortUrl ?? publicUrl) : content

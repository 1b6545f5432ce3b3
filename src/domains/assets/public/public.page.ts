import type { AppContext } from '#context'
import type { LandingPage } from '#domains/contributions.ts'
import { foundCard, foundScript } from '#domains/found/index.ts'
import { card, facts, type Html, html, htmlPage, notFoundPage, pathOfPage, text } from '#http/pages.ts'
import { wantsJson } from '#http/refusals.ts'
import { publicSuccess } from '#http/respond.ts'
import type { Locale } from '#lib/localized.ts'

import { findPublicAsset, type PublicAsset, type PublicField, type PublicPhoto } from './public.service.ts'

const WORDS = {
  en: {
    asset: 'Asset',
    photo: (n: number) => `Photo ${n}`,
    statuses: { IN_USE: 'In use', IDLE: 'Idle', REPAIR: 'In repair', LOST: 'Lost', SCRAPPED: 'Scrapped' },
  },
  zh: {
    asset: '资产',
    photo: (n: number) => `照片 ${n}`,
    statuses: { IN_USE: '在用', IDLE: '闲置', REPAIR: '维修中', LOST: '丢失', SCRAPPED: '已报废' },
  },
} as const satisfies Record<Locale, object>

export const assetLandingPage: LandingPage = async (ctx, { id, caller, request }) => {
  const asset = await findPublicAsset(ctx, id, caller.locale)
  if (wantsJson(request))
    return asset && publicSuccess(jsonOf(asset), caller.requestId, request.headers.get('if-none-match'))
  return asset === undefined ? notFoundPage(ctx, caller.locale) : assetPage(ctx, asset, request, caller.locale)
}

const jsonOf = ({ uuid, kind, fields, found }: PublicAsset) => ({
  uuid,
  kind,
  fields: fields.map(({ key, label, value }) => ({ key, label, value })),
  found,
})

function assetPage(ctx: AppContext, { fields, found }: PublicAsset, request: Request, locale: Locale): Response {
  const words = WORDS[locale]
  const valueOf = (key: string) => fields.find((field) => field.key === key)?.value
  const title = String(valueOf('name') ?? valueOf('assetNo') ?? words.asset)
  const photos = (valueOf('photos') ?? []) as readonly PublicPhoto[]
  const shown = fields.filter(({ key }) => key !== 'name' && key !== 'photos')
  return htmlPage(ctx, {
    title,
    locale,
    path: pathOfPage(request),
    preview: { title, description: title === words.asset ? '' : words.asset },
    ...foundScript(found, locale),
    body: html`${card(
      html`<h1>${title}</h1>
        ${facts(shown.map((field) => [field.label, valueText(field, locale)]))}
        ${photos.map((photo, i) => picture(photo, words.photo(i + 1)))}`,
    )}
    ${foundCard(found, locale)}`,
  })
}

/** Addresses of this server as paths, so that they also work when it is reached by another name than the configured one. */
const pathOf = (url: string): string => url.slice(new URL(url).origin.length)

const picture = ({ url, thumbnailUrl }: PublicPhoto, alt: string): Html =>
  html`<p class="prose">
    <a href="${pathOf(url)}"
      ><img src="${pathOf(thumbnailUrl ?? url)}" alt="${alt}" loading="lazy" decoding="async"
    /></a>
  </p>`

function valueText({ key, value, text: shown }: PublicField, locale: Locale): Html | string | null {
  if (value === null) return null
  const statuses: Readonly<Record<string, string>> = WORDS[locale].statuses
  const words = key === 'status' ? statuses[String(value)]! : (shown ?? String(value))
  return words.includes('\n') ? text(words) : words
}

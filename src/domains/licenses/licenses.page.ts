/** The page with the licences of the software in the program. */

import { type AppContext, perContext } from '#context'
import { type Compressed, compressedText } from '#http/compressed.ts'
import { card, errorPage, type Html, html, htmlPage } from '#http/pages.ts'
import { type Site, siteOf } from '#http/site.ts'
import type { Locale } from '#lib/localized.ts'
import { type LicensedPackage, type Licenses, readLicenses } from '#platform/licenses.ts'

import { NOT_BUILT } from './licenses.service.ts'

const WORDS = {
  en: {
    title: 'Licences',
    about: (n: number) =>
      `Tessera contains ${n} packages of other authors, under these licences. Open an entry to read its text.`,
    json: 'The same as JSON',
    source: 'Source code of',
  },
  zh: {
    title: '许可证',
    about: (n: number) => `Tessera 包含 ${n} 个第三方软件包，其许可证如下。展开条目可阅读全文。`,
    json: 'JSON 格式',
    source: '源代码：',
  },
} as const satisfies Record<Locale, object>

interface MadePage {
  /** Whose name it has. */
  readonly site: Site
  readonly text: Compressed
  readonly headers: Readonly<Record<string, string>>
}

const pages = perContext(() => new Map<Locale, MadePage>())

export async function showLicenses(ctx: AppContext, request: Request, locale: Locale): Promise<Response> {
  const known = pages(ctx)
  const site = siteOf(ctx)
  let page = known.get(locale)
  if (page?.site !== site) {
    const licenses = await readLicenses()
    if (licenses === undefined) return errorPage(ctx, 404, NOT_BUILT[locale], locale)
    const response = licensesPage(ctx, licenses, locale)
    page = { site, text: compressedText(await response.text()), headers: Object.fromEntries(response.headers) }
    known.set(locale, page)
  }
  return page.text.answer(request, page.headers)
}

function licensesPage(ctx: AppContext, { packages, texts }: Licenses, locale: Locale): Response {
  const words = WORDS[locale]
  return htmlPage(ctx, {
    title: words.title,
    locale,
    path: '/licenses',
    body: card(
      html`<p>${words.about(packages.length)} <a href="/api/licenses">${words.json}</a></p>
        ${texts.map((text, index) =>
          entry(
            text,
            packages.filter((p) => p.texts.includes(index)),
            locale,
          ),
        )}`,
      { title: words.title },
    ),
  })
}

const nameOf = ({ name, version }: LicensedPackage): string => `${name} ${version}`

function entry(text: string, packages: readonly LicensedPackage[], locale: Locale): Html {
  const licenses = [...new Set(packages.map(({ license }) => license))].join(', ')
  return html`<details class="fold">
    <summary><b>${licenses}</b> ${packages.map(nameOf).join(', ')}</summary>
    ${packages.map(
      (p) =>
        p.sources.length > 0 &&
        html`<p>
          ${WORDS[locale].source} ${nameOf(p)}: ${p.sources.map((url) => html`<a href="${url}">${url}</a> `)}
        </p>`,
    )}
    <pre lang="en">${text}</pre>
  </details>`
}

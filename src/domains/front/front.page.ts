/** The front page of the server. */

import type { AppContext } from '#context'
import { MARK_SVG } from '#http/page-style.ts'
import { button, card, facts, type Html, html, htmlPage, notice, rawHtml } from '#http/pages.ts'
import { PRODUCT, siteOf } from '#http/site.ts'
import type { Locale } from '#lib/localized.ts'

import type { Front } from './front.service.ts'

const WORDS = {
  en: {
    title: 'QR codes on a server of your own',
    about:
      'Make, print and scan QR codes, keep track of assets, check people in to activities, and share all of it with your organization.',
    signIn: 'Sign in',
    newHere: 'If you have no account yet, you can create one there.',
    setUpTitle: 'Start here',
    setUp: 'Set up this server',
    notSetUp: 'This server has no administrator yet. Create the first one, and then sign in.',
    app: 'Get the app',
    androidApp: 'Get the Android app',
    version: 'Version',
    size: 'Size',
    more: 'More about this server',
    docs: 'API documentation',
    health: 'Server status',
    licenses: 'Licences of the software in it',
    agreements: { SERVICE: 'Terms of service', PRIVACY: 'Privacy policy' },
  },
  zh: {
    title: '自己的二维码服务器',
    about: '制作、打印和扫描二维码，管理资产，为活动签到，并与所在组织共享。',
    signIn: '登录',
    newHere: '还没有账号？可在登录页创建。',
    setUpTitle: '从这里开始',
    setUp: '设置此服务器',
    notSetUp: '此服务器还没有管理员。请先创建第一个管理员，然后登录。',
    app: '获取应用',
    androidApp: '获取 Android 应用',
    version: '版本',
    size: '大小',
    more: '关于此服务器',
    docs: '接口文档',
    health: '服务器状态',
    licenses: '所含软件的许可证',
    agreements: { SERVICE: '服务条款', PRIVACY: '隐私政策' },
  },
} as const satisfies Record<Locale, object>

/** A printed sheet of labels. */
const SHEET = rawHtml(
  `<svg class="sheet" viewBox="0 0 120 108" aria-hidden="true"><rect class="paper" x=".5" y=".5" width="119" height="107" rx="6"/>${[
    0, 1, 2, 3, 4, 5,
  ]
    .map((label) => {
      const [x, y] = [10 + (label % 3) * 38, 10 + Math.floor(label / 3) * 48]
      const mark = MARK_SVG.replace('<svg ', `<svg x="${x}" y="${y}" width="26" height="26" `)
      return `${mark}<rect x="${x}" y="${y + 31}" width="26" height="3" rx="1.5"/><rect x="${x}" y="${y + 37}" width="16" height="3" rx="1.5" opacity=".35"/>`
    })
    .join('')}</svg>`,
)

export function frontPage(ctx: AppContext, front: Front, locale: Locale): Response {
  const words = WORDS[locale]
  const { inLanguage } = front
  const { name, description } = siteOf(ctx)
  const about = description === '' ? words.about : description
  return htmlPage(ctx, {
    title: '',
    locale,
    path: '/',
    indexed: true,
    preview: { title: `${name} · ${front.host}`, description: about },
    body: html`<div class="hero">
        <div>
          <p class="number">${front.host}</p>
          <h1>${name === PRODUCT ? words.title : name}</h1>
          <p class="soft">${about}</p>
        </div>
        ${SHEET}
      </div>
      ${
        front.isSetUp
          ? card([
              button(words.signIn, { href: `/console/${inLanguage}` }),
              front.isOpen && html`<p class="hint">${words.newHere}</p>`,
            ])
          : card(
              html`${notice(words.notSetUp)}
                <div class="row">
                  ${button(words.setUp, { href: `/setup${inLanguage}` })}${button(words.signIn, { href: `/console/${inLanguage}`, kind: 'plain' })}
                </div>`,
              { title: words.setUpTitle, level: 2 },
            )
      }
      ${front.app !== null && appCard(front.app, locale)}
      ${card(linksOf(front, locale), { title: words.more, level: 2 })}`,
  })
}

function appCard({ versionName, downloadUrl, fileSize }: NonNullable<Front['app']>, locale: Locale): Html {
  const words = WORDS[locale]
  // A path, so that it also works when the server is reached by another name than the configured one.
  const path = new URL(downloadUrl).pathname
  const isAndroid = path.toLowerCase().endsWith('.apk')
  return card(
    html`${facts([
      [words.version, versionName],
      [words.size, megabytes(fileSize, locale)],
    ])}${button(isAndroid ? words.androidApp : words.app, { href: path, kind: 'plain' })}`,
    { title: words.app, level: 2 },
  )
}

const megabytes = (bytes: number, locale: Locale): string =>
  new Intl.NumberFormat(locale, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 }).format(bytes / 1e6)

function linksOf({ agreements, inLanguage }: Front, locale: Locale): Html {
  const words = WORDS[locale]
  const links = [
    ['/docs', words.docs],
    ...agreements.map(
      ({ type, title }) =>
        [
          `/public/agreement/${type.toLowerCase()}${inLanguage}`,
          title === '' ? words.agreements[type] : title,
        ] as const,
    ),
    ['/actuator/health', words.health],
    [`/licenses${inLanguage}`, words.licenses],
  ] as const
  return html`<ul class="links">
    ${links.map(([href, label]) => html`<li><a href="${href}">${label}</a></li>`)}
  </ul>`
}

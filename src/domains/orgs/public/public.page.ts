/** The public page of an organization: how to join it in a browser, in the app, or with its code. */

import type { AppContext } from '#context'
import { button, card, copyable, facts, html, htmlPage, languageQuery, qrPicture, text } from '#http/pages.ts'
import type { Locale } from '#lib/localized.ts'

import type { PublicOrg } from '../organizations/organizations.model.ts'
import { joinQrCodePath } from '../organizations/organizations.view.ts'

const WORDS = {
  en: {
    kind: 'Organization',
    join: 'Join',
    joinHere: 'Join on this device',
    how: 'In the app, choose “Join an organization” and enter the code. Another phone can scan this picture in the app.',
    alt: (name: string) => `QR code to join ${name}`,
    code: 'Organization code',
    members: 'Members',
    policy: 'Joining',
    policies: { FREE: 'Open to everyone', APPROVAL: 'After approval', INVITE: 'By invitation only' },
  },
  zh: {
    kind: '组织',
    join: '加入',
    joinHere: '在此设备上加入',
    how: '在应用中选择“加入组织”并输入组织码；其他手机可在应用中扫描此图。',
    alt: (name: string) => `加入${name}的二维码`,
    code: '组织码',
    members: '成员',
    policy: '加入方式',
    policies: { FREE: '自由加入', APPROVAL: '需审批', INVITE: '仅限邀请' },
  },
} as const satisfies Record<Locale, object>

/** Sharp on phones with three device pixels per CSS pixel. */
const PICTURE_PIXELS = 1024

export function orgPage(ctx: AppContext, org: PublicOrg, request: Request, locale: Locale): Response {
  const words = WORDS[locale]
  const parameters = new URLSearchParams(languageQuery(request))
  parameters.set('code', org.code)
  const joinableByCode = org.joinPolicy !== 'INVITE'
  const picture = `${joinQrCodePath(org.code)}&size=${PICTURE_PIXELS}`
  return htmlPage(ctx, {
    title: org.name,
    locale,
    path: `/public/orgs/${org.code}`,
    copies: joinableByCode,
    preview: { title: org.name, description: org.description || words.kind, image: org.avatarUrl },
    body: html`${card(
      html`<h1>${org.name}</h1>
        ${org.description !== '' && text(org.description)}
        ${facts([
          [words.members, org.memberCount],
          [words.policy, words.policies[org.joinPolicy]],
        ])}`,
    )}
    ${
      joinableByCode &&
      card(
        html`${button(words.joinHere, { href: `/console/join?${parameters}` })}
          <div class="centered enter">
            <p class="soft">${words.code}</p>
            <p class="lead">${copyable(org.code)}</p>
          </div>
          ${qrPicture(picture, words.alt(org.name))}
          <p class="soft">${words.how}</p>`,
        { title: words.join, level: 2 },
      )
    }`,
  })
}

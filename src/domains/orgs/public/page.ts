/** The public page of an organization, with the QR code to join it. */

import { card, facts, html, htmlPage, qrPicture, text } from '#http/pages.ts'
import type { Locale } from '#lib/localized.ts'

import type { PublicOrg } from '../organizations/model.ts'
import { joinQrCodePath } from '../organizations/view.ts'

const WORDS = {
  en: {
    alt: (name: string) => `QR code to join ${name}`,
    how: 'Scan this code in the app, or enter the organization code, to join.',
    code: 'Organization code',
    members: 'Members',
    policy: 'Joining',
    policies: { FREE: 'open to everyone', APPROVAL: 'after approval', INVITE: 'by invitation only' },
  },
  zh: {
    alt: (name: string) => `加入${name}的二维码`,
    how: '在应用中扫描此码或输入组织码即可加入。',
    code: '组织码',
    members: '成员',
    policy: '加入方式',
    policies: { FREE: '自由加入', APPROVAL: '需审批', INVITE: '仅限邀请' },
  },
} as const satisfies Record<Locale, object>

/** Sharp on phones with three device pixels per CSS pixel. */
const PICTURE_PIXELS = 1024

export function orgPage(org: PublicOrg, locale: Locale): Response {
  const words = WORDS[locale]
  const joinableByCode = org.joinPolicy !== 'INVITE'
  const picture = `${joinQrCodePath(org.code)}&size=${PICTURE_PIXELS}`
  return htmlPage({
    title: org.name,
    locale,
    body: card(
      html`${joinableByCode && qrPicture(picture, words.alt(org.name))}
        <h1>${org.name}</h1>
        ${org.description !== '' && text(org.description)}
        ${facts([
          [words.code, joinableByCode ? org.code : ''],
          [words.members, org.memberCount],
          [words.policy, words.policies[org.joinPolicy]],
        ])}
        ${joinableByCode && html`<p class="soft">${words.how}</p>`}`,
    ),
  })
}

/** The page from which a device learns to trust this server. Its texts need no script. */

import type { AppContext } from '#context'
import { button, card, facts, type Html, html, htmlPage, rawHtml } from '#http/pages.ts'
import type { Locale } from '#lib/localized.ts'
import { encodeQr, toSvg } from '#lib/qr/index.ts'

import { drawing } from './pictures.page.ts'
import { FRAMES, guideOf } from './systems.page.ts'
import { type System, SYSTEMS } from './trust.rules.ts'
import type { Trust } from './trust.service.ts'

const WORDS = {
  en: {
    title: 'Trust this server',
    about:
      'This server is in a private network, so it has made its own certificate authority. Once this device trusts it, the browser shows no warning, and camera, position and notifications work.',
    name: 'Authority',
    fingerprint: 'Fingerprint (SHA-256)',
    compare:
      'Before you install anything, compare the fingerprint with the one that the operator of the server sees with "tessera doctor --lan".',
    others: 'Other devices',
    open: 'Open this page on another device:',
    check: 'Did it work?',
    look: 'Afterwards, open the server with https. If the browser shows no warning, it worked.',
    seen: 'You have opened this page with https. If the browser showed no warning, this device trusts the server.',
    trusted: 'This device trusts the server.',
    waiting: 'This device does not trust the server yet. Follow the steps on this page; this line changes by itself.',
    go: 'Open the server with https',
    download: (file: string) => `Download ${file}`,
    remove: 'To remove it again:',
    meaning: 'Before you trust it',
    reach: (names: string) =>
      `A person with the key of this server could read the connections of devices that trust it, but only those to these names and the names below them (${names}) and to addresses of private networks. The certificate is of no use for anything else.`,
    gone: 'Remove it from your devices when the server is gone. If the operator replaces the authority, devices must trust the new one.',
    warning:
      'Without it you can go past the warning of the browser, but the offline part of the web application and its notifications then do not work.',
  },
  zh: {
    title: '信任此服务器',
    about:
      '此服务器位于专用网络中，因此使用自己的证书颁发机构。设备信任该机构后，浏览器不再显示警告，相机、定位和通知可正常使用。',
    name: '颁发机构',
    fingerprint: '指纹（SHA-256）',
    compare: '安装之前，请与服务器管理者核对指纹：管理者可通过 “tessera doctor --lan” 查看。',
    others: '其他设备',
    open: '在其他设备上打开此页面：',
    check: '是否成功？',
    look: '完成后通过 https 打开服务器。如果浏览器不显示警告，即表示成功。',
    seen: '您已通过 https 打开此页面。如果浏览器没有显示警告，即表示此设备信任该服务器。',
    trusted: '此设备已信任该服务器。',
    waiting: '此设备尚未信任该服务器。请按照本页步骤操作，此行会自动更新。',
    go: '通过 https 打开服务器',
    download: (file: string) => `下载 ${file}`,
    remove: '移除方法：',
    meaning: '信任之前请了解',
    reach: (names: string) =>
      `持有此服务器密钥的人可能读取信任它的设备的连接，但仅限于以下名称及其下级名称（${names}）和专用网络地址。此证书不能用于其他任何用途。`,
    gone: '服务器停用后，请从设备中移除此证书。如果管理者更换颁发机构，设备需要重新信任。',
    warning: '不安装也可以跳过浏览器的警告，但网页应用的离线功能和通知将无法使用。',
  },
} as const satisfies Record<Locale, object>

export function trustPage(ctx: AppContext, trust: Trust, system: System | undefined, locale: Locale): Response {
  const words = WORDS[locale]
  const { authority, httpsOrigin, pageUrl, isSecure } = trust
  const others = SYSTEMS.filter((each) => each !== system)
  return htmlPage(ctx, {
    title: words.title,
    locale,
    path: '/trust',
    ...(!isSecure && {
      script: {
        src: '/trust/check.js',
        data: {
          address: `${httpsOrigin}/trust/check`,
          fingerprint: authority.fingerprint,
          trusted: words.trusted,
          waiting: words.waiting,
        },
        asks: [httpsOrigin],
      },
    }),
    body: html`${card(
      html`<p>${words.about}</p>
        ${facts([
          [words.name, authority.name],
          [words.fingerprint, html`<code class="print">${authority.fingerprint}</code>`],
        ])}
        <p class="soft">${words.compare}</p>`,
      { title: words.title },
    )}
    ${system && card(steps(system, authority.name, locale), { title: guideOf(system, locale, authority.name).name, level: 2 })}
    ${card(
      html`<p id="trust-check" role="status">${isSecure ? words.seen : words.look}</p>
        ${!isSecure && button(words.go, { href: httpsOrigin })}`,
      { title: words.check, level: 2 },
    )}
    ${card(
      html`<p>${words.open} <a href="${pageUrl}">${pageUrl}</a></p>
        ${code(pageUrl)}
        ${others.map(
          (each) =>
            html`<details class="fold">
              <summary>${guideOf(each, locale, authority.name).name}</summary>
              ${steps(each, authority.name, locale)}
            </details>`,
        )}`,
      { title: words.others, level: 2 },
    )}
    ${card(
      html`<p>${words.reach(trust.allowedNames.join(', '))}</p>
        <p>${words.gone}</p>
        <p>${words.warning}</p>`,
      { title: words.meaning, level: 2 },
    )}`,
  })
}

function steps(system: System, name: string, locale: Locale): Html {
  const words = WORDS[locale]
  const { file, steps, note, remove } = guideOf(system, locale, name)
  return html`${button(words.download(file), { href: `/trust/${file}` })}
    <ol class="guide">
      ${steps.map(
        ({ text, picture, command }) =>
          html`<li>
            ${text}${command !== undefined && html`<pre><code>${command}</code></pre>`}${drawing(picture, FRAMES[system])}
          </li>`,
      )}
    </ol>
    ${note !== undefined && html`<p class="soft">${note}</p>`}
    <p class="soft">${words.remove} ${remove}</p>`
}

/** Part of the page, because a picture of its own would not be served over plain http. */
function code(content: string): Html {
  const svg = toSvg(encodeQr(content, 'M'), { size: 320, margin: 4, fg: '000000', bg: 'ffffff' })
  return rawHtml(svg.replace('<svg ', '<svg class="qr" aria-hidden="true" '))
}

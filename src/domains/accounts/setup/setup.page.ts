/** The page for creating the first administrator: a plain form without script. */

import type { AppContext } from '#context'
import type { Caller } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import { button, card, field, form, hiddenField, html, htmlPage, notice, text } from '#http/pages.ts'

import { ADMIN_PASSWORD_MIN, PASSWORD_MAX } from '../accounts.model.ts'

const WORDS = {
  en: {
    title: 'Set up this server',
    intro: 'Create the first administrator. This link works once.',
    username: 'Username',
    usernameHint: '3 to 32 letters, digits and, between them, single _ . or -, starting with a letter',
    password: 'Password',
    passwordHint: `At least ${ADMIN_PASSWORD_MIN} characters, not a common password`,
    repeated: 'Password again',
    submit: 'Create administrator',
    move: 'Restore a backup or move a server here',
    moveHint:
      'You have a backup of this server or of another one, and want its users and data instead of a new administrator?',
    problem: 'Please check the marked fields.',
    signIn: 'Sign in',
    front: 'Go to the front page',
    refused: 'This setup link has been used, has been replaced by a newer one, or has expired.',
    isSetUp: 'This server has an administrator already. Sign in, or ask the administrator for an account.',
    find: 'Creating the first administrator needs a link that only the operator of the server can see.',
    findHow: [
      'The server printed the link in the terminal or log where it was started. It works once, for 24 hours, and contains:',
      'You cannot find it, or it is too old? Restart the server, and it prints a new one.',
      'Or stop the server, and create the administrator in its terminal:',
    ],
  },
  zh: {
    title: '设置此服务器',
    intro: '创建第一个管理员。此链接只能使用一次。',
    username: '用户名',
    usernameHint: '3 到 32 位字母、数字或其间单个的 _ . -，以字母开头',
    password: '密码',
    passwordHint: `至少 ${ADMIN_PASSWORD_MIN} 个字符，不能是常见密码`,
    repeated: '再次输入密码',
    submit: '创建管理员',
    move: '恢复备份或将服务器迁移到此处',
    moveHint: '如果你有此服务器或其他服务器的备份，可以恢复其中的用户和数据，无需创建新管理员。',
    problem: '请检查标出的字段。',
    signIn: '登录',
    front: '返回首页',
    refused: '此设置链接已被使用、已被新链接取代或已过期。',
    isSetUp: '此服务器已有管理员。请登录，或联系管理员获取账号。',
    find: '创建第一个管理员需要一个链接，只有服务器的运维人员能看到。',
    findHow: [
      '服务器启动时会在终端或日志中打印该链接。链接只能使用一次，24 小时内有效，其中包含：',
      '找不到或已过期？重启服务器，即可获得新链接。',
      '也可以停止服务器，然后在其终端中创建管理员：',
    ],
  },
} as const

/** The visitor: the language of the page, and the query of links that keeps it. */
export interface Visitor extends Pick<Caller, 'locale'> {
  readonly ctx: AppContext
  readonly inLanguage: string
}

interface SetupFields {
  token: string
  username?: string
  /** With paths `body.<field>`. */
  problems?: readonly FieldProblem[]
}

/** The form; with `problems`, the form with its problems (status 400). */
export function setupPage(
  { token, username = '', problems = [] }: SetupFields,
  { ctx, locale, inLanguage }: Visitor,
): Response {
  const words = WORDS[locale]
  const problem = (name: string) => {
    const found = problems.find(({ path }) => path === `body.${name}`)
    return found === undefined ? {} : { error: found.text[locale] }
  }
  const fields = [
    hiddenField('token', token),
    field({
      label: words.username,
      name: 'username',
      value: username,
      hint: words.usernameHint,
      autocomplete: 'username',
      required: true,
      minLength: 3,
      maxLength: 32,
      autofocus: true,
      ...problem('username'),
    }),
    field({
      label: words.password,
      name: 'password',
      type: 'password',
      hint: words.passwordHint,
      autocomplete: 'new-password',
      required: true,
      minLength: ADMIN_PASSWORD_MIN,
      maxLength: PASSWORD_MAX,
      ...problem('password'),
    }),
    field({
      label: words.repeated,
      name: 'repeated',
      type: 'password',
      autocomplete: 'new-password',
      required: true,
      maxLength: PASSWORD_MAX,
      ...problem('repeated'),
    }),
    button(words.submit),
  ]
  return htmlPage(ctx, {
    title: words.title,
    locale,
    path: `/setup?token=${encodeURIComponent(token)}`,
    status: problems.length > 0 ? 400 : 200,
    body: html`${problems.length > 0 ? notice(words.problem, 'bad') : undefined}${card(
      [text(words.intro), form(`/setup${inLanguage}`, fields)],
      {
        title: words.title,
      },
    )}
    ${card([text(words.moveHint), button(words.move, { href: moveAddress(token, inLanguage), kind: 'plain' })])}`,
  })
}

const moveAddress = (token: string, inLanguage: string): string =>
  `/setup/restore?token=${encodeURIComponent(token)}${inLanguage.replace('?', '&')}`

interface LinkProblem {
  readonly isSetUp: boolean
  /** False if the address has no token. */
  readonly isRefused: boolean
}

/** Says how to go on without a setup link that works. Status 403 for a link that is refused. */
export function setupLinkPage({ isSetUp, isRefused }: LinkProblem, { ctx, locale, inLanguage }: Visitor): Response {
  const words = WORDS[locale]
  const [where, restart, command] = words.findHow
  const front = button(words.front, { href: `/${inLanguage}`, kind: 'plain' })
  const advice = isSetUp
    ? [html`<p>${words.isSetUp}</p>`, button(words.signIn, { href: `/console/${inLanguage}` }), front]
    : [
        html`<p>${words.find}</p>
          <ul class="steps">
            <li>${where}<br /><code>/setup?token=</code></li>
            <li>${restart}</li>
            <li>${command}<br /><code>tessera admin create NAME</code></li>
          </ul>`,
        front,
      ]
  return htmlPage(ctx, {
    title: words.title,
    locale,
    path: '/setup',
    status: isRefused ? 403 : 200,
    body: html`${isRefused && notice(words.refused, 'bad')}${card(advice, { title: words.title })}`,
  })
}

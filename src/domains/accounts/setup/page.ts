/** The page for creating the first administrator: a plain form without script. */

import type { Caller } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import { button, card, field, form, hiddenField, html, htmlPage, notice, text } from '#http/pages.ts'

import { ADMIN_PASSWORD_MIN, PASSWORD_MAX } from '../model.ts'

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
    problem: 'Please check the marked fields.',
    doneTitle: 'The server is set up',
    done: (username: string) => `You can sign in as ${username} now.`,
    docs: 'Read the API documentation',
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
    problem: '请检查标出的字段。',
    doneTitle: '服务器已设置完成',
    done: (username: string) => `现在可以使用 ${username} 登录。`,
    docs: '查看接口文档',
  },
} as const

interface SetupFields {
  token: string
  username?: string
  /** With paths `body.<field>`. */
  problems?: readonly FieldProblem[]
}

/** The form; with `problems`, the form with its problems (status 400). */
export function setupPage({ token, username = '', problems = [] }: SetupFields, caller: Caller): Response {
  const words = WORDS[caller.locale]
  const problem = (name: string) => {
    const found = problems.find(({ path }) => path === `body.${name}`)
    return found === undefined ? {} : { error: found.text[caller.locale] }
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
  return htmlPage({
    title: words.title,
    locale: caller.locale,
    status: problems.length > 0 ? 400 : 200,
    body: html`${problems.length > 0 ? notice(words.problem, 'bad') : undefined}${card(
      [text(words.intro), form('/setup', fields)],
      {
        title: words.title,
      },
    )}`,
  })
}

export function setupDonePage(username: string, caller: Caller): Response {
  const words = WORDS[caller.locale]
  return htmlPage({
    title: words.doneTitle,
    locale: caller.locale,
    body: card([text(words.done(username)), button(words.docs, { href: '/docs', kind: 'plain' })], {
      title: words.doneTitle,
    }),
  })
}

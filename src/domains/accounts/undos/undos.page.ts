/** The page of an undo link: it says what the link does, and a button does it. A mail scanner that opens the link changes nothing. */

import type { AppContext } from '#context'
import type { Caller } from '#http/endpoint.ts'
import { button, card, form, hiddenField, htmlPage, text } from '#http/pages.ts'

import { UNDO_PATH } from '../accounts.model.ts'

const WORDS = {
  en: {
    title: 'Bind this e-mail again',
    intro: (email: string) => `${email} was removed from an account. If that was not you, bind it again here.`,
    effects:
      'This also removes the password of the account, and every phone number and e-mail that was bound since then or in the three days ' +
      'before. All devices are signed out. Afterwards choose a new password.',
    submit: 'Bind it again and sign out everyone',
    doneTitle: 'The e-mail is bound again',
    done: (email: string) =>
      `All devices are signed out, and the old password no longer works. To choose a new one, open the app, select “Forgot password” and enter ${email}.`,
  },
  zh: {
    title: '恢复绑定此邮箱',
    intro: (email: string) => `${email} 已从账号中移除。如果这不是你本人的操作，可以在此恢复绑定。`,
    effects: '同时会移除账号的密码，以及此后和此前三天内绑定的手机号与邮箱，并退出所有设备。完成后请设置新密码。',
    submit: '恢复绑定并退出所有设备',
    doneTitle: '邮箱已恢复绑定',
    done: (email: string) => `所有设备已退出，原密码已失效。请打开应用，选择“忘记密码”并输入 ${email} 设置新密码。`,
  },
} as const

export function undoPage(ctx: AppContext, token: string, email: string, { locale }: Caller): Response {
  const words = WORDS[locale]
  return htmlPage(ctx, {
    title: words.title,
    locale,
    body: card(
      [
        text(words.intro(masked(email))),
        text(words.effects),
        form(UNDO_PATH, [hiddenField('token', token), button(words.submit)]),
      ],
      { title: words.title },
    ),
  })
}

export function undoDonePage(ctx: AppContext, email: string, { locale }: Caller): Response {
  const words = WORDS[locale]
  return htmlPage(ctx, {
    title: words.doneTitle,
    locale,
    body: card(text(words.done(masked(email))), { title: words.doneTitle }),
  })
}

/** Enough for the owner of the address: the link may have been forwarded. */
const masked = (email: string): string => `${email.slice(0, 1)}***${email.slice(email.lastIndexOf('@'))}`

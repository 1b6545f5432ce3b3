/** The sentence about a missing mail server, for all pages that say it. */

import { texts } from './words.ts'

export const mailWords = texts({
  en: {
    without:
      'Without a mail server, nobody can sign in with a code by e-mail or reset a forgotten password, notices of sign-ins are not sent, and people are invited by a link or a QR code instead of by mail.',
  },
  zh: {
    without:
      '未设置邮件服务器时，用户无法通过邮箱验证码登录或找回密码，不会收到登录通知，只能通过链接或二维码邀请他人。',
  },
})

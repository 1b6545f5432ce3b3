/** Messages with verification codes, for e-mail and SMS, and the mail that tries a mail server. */

import type { Locale, Localized } from '#lib/localized.ts'

import type { CodePurpose } from '../delivery.model.ts'
import { type Letter, letter, type Sender } from './layout.ts'

/** Completes the sentences "Your code to …" and "验证码用于…". */
const ACTIONS: Readonly<Record<CodePurpose, Localized>> = {
  LOGIN: { en: 'sign in', zh: '登录' },
  BIND: { en: 'add this contact to your account', zh: '绑定账号' },
  ACCOUNT_LINK: { en: 'link another account to yours', zh: '关联账号' },
  RESET: { en: 'set a new password', zh: '重置密码' },
  CHANGE: { en: 'change your password', zh: '修改密码' },
}

export interface Code {
  readonly purpose: CodePurpose
  readonly code: string
  readonly minutes: number
}

const inMinutes = (n: number): string => (n === 1 ? '1 minute' : `${n} minutes`)

export function codeLetter({ purpose, code, minutes }: Code, locale: Locale, sender: Sender): Letter {
  const action = ACTIONS[purpose][locale]
  const content =
    locale === 'zh'
      ? {
          subject: `${code} 是你的 ${sender.name} 验证码`,
          lead: `你正在${action}，验证码为：`,
          code,
          advice: [
            `验证码 ${minutes} 分钟内有效，只能使用一次。请勿告诉任何人，我们的工作人员也不会向你索取。`,
            '如果这不是你本人的操作，请忽略此邮件：没有验证码，任何人都无法继续。',
          ],
        }
      : {
          subject: `${code} is your ${sender.name} code`,
          lead: `Your code to ${action}:`,
          code,
          advice: [
            `It is valid for ${inMinutes(minutes)} and can be used once. Do not share it with anyone: our staff will never ask for it.`,
            'If you did not request this code, ignore this e-mail: no one can continue without the code.',
          ],
        }
  return letter(content, locale, sender)
}

/** At most 70 characters in Chinese or 160 in English: providers charge for each part of that length. */
export function codeSms({ purpose, code, minutes }: Code, locale: Locale, { shortName }: Sender): string {
  const action = ACTIONS[purpose][locale]
  return locale === 'zh'
    ? `${shortName} 验证码 ${code}，用于${action}，${minutes} 分钟内有效，请勿告诉他人。`
    : `${code} is your ${shortName} code to ${action}. Valid for ${inMinutes(minutes)}. Do not share it.`
}

/** The mail with which an administrator tries a mail server. */
export const trialLetter = (locale: Locale, sender: Sender): Letter =>
  letter(
    locale === 'zh'
      ? {
          subject: `${sender.name} 的测试邮件`,
          lead: '此邮件由管理员发送，用于测试邮件服务器。收到即表示发送正常。',
          advice: ['无需任何操作。'],
        }
      : {
          subject: `Test mail from ${sender.name}`,
          lead: 'An administrator sent this mail to try the mail server. You can read it, so it works.',
          advice: ['There is nothing to do.'],
        },
    locale,
    sender,
  )

/** The form for guests on the page of an activity. It works without scripts. */

import { button, card, field, form, hiddenField, type Html, html } from '#http/pages.ts'
import type { Locale } from '#lib/localized.ts'

import { MAX_ANSWER } from '../registrations/registrations.rules.ts'
import type { GuestForm } from './guest-forms.model.ts'

const WORDS = {
  en: {
    title: 'Register without an account',
    intro: 'You get a mail with a link. Your registration counts when you have confirmed it there.',
    waiting: 'All places are taken: you join the waiting list.',
    name: 'Your name',
    email: 'Your e-mail address',
    optional: ' (optional)',
    trap: 'Leave this empty',
    send: 'Register',
    again: 'Have you registered, and lost the mail?',
    link: 'Send me the link again',
  },
  zh: {
    title: '无账号报名',
    intro: '你会收到一封带有链接的邮件，在其中确认后报名才生效。',
    waiting: '名额已满，你将加入候补名单。',
    name: '姓名',
    email: '邮箱地址',
    optional: '（选填）',
    trap: '请留空',
    send: '报名',
    again: '已经报名但找不到邮件？',
    link: '重新发送链接',
  },
} as const satisfies Record<Locale, object>

interface Shown {
  readonly uuid: string
  /** The invite code in the address of the page. */
  readonly code: string | undefined
  readonly locale: Locale
}

export function guestFormCard({ formToken, questions, placesLeft }: GuestForm, { uuid, code, locale }: Shown): Html {
  const words = WORDS[locale]
  const path = `/public/activities/${uuid}/guests`
  return card(
    html`<div class="screen">
      <p>${words.intro}</p>
      ${placesLeft === 'NONE' && html`<p>${words.waiting}</p>`}
      ${form(`${path}?lang=${locale}`, [
        hiddenField('formToken', formToken),
        hiddenField('language', locale),
        code !== undefined && hiddenField('code', code),
        field({ label: words.name, name: 'name', autocomplete: 'name', required: true, maxLength: 100 }),
        field({
          label: words.email,
          name: 'email',
          type: 'email',
          autocomplete: 'email',
          required: true,
          maxLength: 254,
        }),
        answerFields(questions, {}, locale),
        html`<div hidden>${field({ label: words.trap, name: 'website', autocomplete: 'off' })}</div>`,
        button(words.send),
      ])}
      <details class="fold">
        <summary>${words.again}</summary>
        ${form(`${path}/link?lang=${locale}`, [
          html`<div class="field">
            <label for="f-link">${words.email}</label>
            <input id="f-link" type="email" name="email" autocomplete="email" required maxlength="254" />
          </div>`,
          button(words.link, { kind: 'plain' }),
        ])}
      </details>
    </div>`,
    { title: words.title, level: 2 },
  )
}

/** A field for each question. */
export const answerFields = (
  questions: GuestForm['questions'],
  answers: Readonly<Record<string, string>>,
  locale: Locale,
): Html[] =>
  questions.map(({ key, label, required }) =>
    field({
      label: required ? label : label + WORDS[locale].optional,
      name: `answer.${key}`,
      type: 'textarea',
      value: answers[key] ?? '',
      required,
      maxLength: MAX_ANSWER,
    }),
  )

/** Advice for administrators whose test mail was not sent. */

import type { Localized } from '#lib/localized.ts'
import type { StepResult, TrialStep } from '#platform/mail/trial.ts'

const BY_STEP: Readonly<Record<TrialStep, Localized>> = {
  DNS: {
    en: 'There is no such host: check the spelling.',
    zh: '找不到该主机，请检查拼写。',
  },
  CONNECT: {
    en: 'No mail server answers there: check the host and the port, and whether a firewall lets this server out.',
    zh: '该地址没有邮件服务器响应：请检查主机和端口，以及防火墙是否允许此服务器访问外部。',
  },
  TLS: {
    en: 'The port does not speak this kind of encryption: use TLS with port 465, or STARTTLS with port 587.',
    zh: '该端口不支持此加密方式：TLS 请使用端口 465，STARTTLS 请使用端口 587。',
  },
  LOGIN: {
    en: 'Check the user and the password. Many providers want a password made for applications.',
    zh: '请检查用户名和密码。许多服务商要求使用专用的授权码。',
  },
  FROM: {
    en: 'The provider does not accept this sender: use the address of the account.',
    zh: '服务商不接受此发件人，请使用该账号的邮箱地址。',
  },
  TO: {
    en: 'The provider does not accept this recipient: try another address.',
    zh: '服务商不接受此收件人，请尝试其他地址。',
  },
  DATA: {
    en: 'The provider does not accept the mail; its answer says why.',
    zh: '服务商不接受此邮件，原因见其答复。',
  },
}

/** By the words of OpenSSL and of nodemailer. */
const OF_TLS: readonly (readonly [RegExp, Localized])[] = [
  [
    /altname|does not match|hostname/i,
    {
      en: 'The certificate is for another name: enter the host as the provider names it, not an address or an alias.',
      zh: '证书属于其他名称：请填写服务商提供的主机名，不要填写 IP 地址或别名。',
    },
  ],
  [
    /self.?signed|issuer|unable to (?:get|verify)|unknown ca/i,
    {
      en: 'This server does not trust the certificate: enter the certificate of its authority (PEM), or let the mail server get one of a public authority.',
      zh: '此服务器不信任该证书：请填写其颁发机构的证书（PEM），或为邮件服务器使用公共机构颁发的证书。',
    },
  ],
  [
    /expired/i,
    {
      en: 'The certificate of the mail server has expired: renew it there.',
      zh: '邮件服务器的证书已过期，请在其上续期。',
    },
  ],
  [
    /STARTTLS/,
    {
      en: 'The mail server does not offer STARTTLS on this port: use port 587, or TLS with port 465.',
      zh: '邮件服务器在此端口不提供 STARTTLS：请使用端口 587，或通过端口 465 使用 TLS。',
    },
  ],
]

/** Null for a step that worked. */
export function adviceOf({ step, ok, answer }: Pick<StepResult, 'step' | 'ok' | 'answer'>): Localized | null {
  if (ok) return null
  const known = step === 'TLS' ? OF_TLS.find(([words]) => words.test(answer)) : undefined
  return known?.[1] ?? BY_STEP[step]
}

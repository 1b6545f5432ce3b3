/** Mail servers of providers that many people use, by the domain of the sender. */

const tls = (host: string) => ({ host, port: 465, security: 'TLS' as const })
const startTls = (host: string) => ({ host, port: 587, security: 'STARTTLS' as const })

const PRESETS: Readonly<Record<string, ReturnType<typeof tls> | ReturnType<typeof startTls>>> = {
  'gmail.com': tls('smtp.gmail.com'),
  'googlemail.com': tls('smtp.gmail.com'),
  'outlook.com': startTls('smtp-mail.outlook.com'),
  'hotmail.com': startTls('smtp-mail.outlook.com'),
  'live.com': startTls('smtp-mail.outlook.com'),
  'yahoo.com': tls('smtp.mail.yahoo.com'),
  'icloud.com': startTls('smtp.mail.me.com'),
  'me.com': startTls('smtp.mail.me.com'),
  'fastmail.com': tls('smtp.fastmail.com'),
  'zoho.com': tls('smtp.zoho.com'),
  'gmx.net': startTls('mail.gmx.net'),
  'gmx.de': startTls('mail.gmx.net'),
  'web.de': startTls('smtp.web.de'),
  't-online.de': tls('securesmtp.t-online.de'),
  'mailbox.org': tls('smtp.mailbox.org'),
  'posteo.de': tls('posteo.de'),
  'qq.com': tls('smtp.qq.com'),
  'foxmail.com': tls('smtp.qq.com'),
  '163.com': tls('smtp.163.com'),
  '126.com': tls('smtp.126.com'),
  'yeah.net': tls('smtp.yeah.net'),
  'sina.com': tls('smtp.sina.com'),
  'aliyun.com': tls('smtp.aliyun.com'),
  '139.com': tls('smtp.139.com'),
}

/** `from`: `Name <address>` or an address. */
export function presetOf(from: string) {
  const [, address = from] = /<([^<>]*)>/.exec(from) ?? []
  const preset =
    PRESETS[
      address
        .slice(address.lastIndexOf('@') + 1)
        .trim()
        .toLowerCase()
    ]
  return preset && { ...preset, user: address.trim() }
}

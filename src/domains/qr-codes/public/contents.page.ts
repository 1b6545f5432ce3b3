/** The content of a code on its share page: in readable parts, with the buttons that phones understand. */

import { button, copyable, type Facts, facts, type Html, html, text } from '#http/pages.ts'
import type { Locale } from '#lib/localized.ts'
import { mapLink } from '#lib/map-link.ts'
import type {
  CalendarEvent,
  Contact,
  Mail,
  Moment,
  Phone,
  Place,
  QrContent,
  Sms,
  Wifi,
} from '#lib/qr-contents/index.ts'
import { DAY } from '#platform/clock.ts'

import { CONTACT_FILE, EVENT_FILE } from './public.model.ts'

const WORDS = {
  en: {
    network: 'Network',
    password: 'Password',
    identity: 'User name',
    security: 'Security',
    open: 'open, without a password',
    hidden: 'Hidden',
    hiddenHow: 'Yes: enter its name by hand',
    wifiHow: 'To connect, scan the code with the camera of a phone, or choose the network and enter the password.',
    name: 'Name',
    organization: 'Organization',
    jobTitle: 'Title',
    phone: 'Phone',
    email: 'E-mail',
    address: 'Address',
    website: 'Website',
    birthday: 'Birthday',
    note: 'Note',
    saveContact: 'Save contact',
    title: 'Event',
    when: 'When',
    where: 'Where',
    addToCalendar: 'Add to calendar',
    zone: (zone: string) => `(${zone})`,
    coordinates: 'Coordinates',
    place: 'Place',
    openMap: 'Open in the map app',
    webMap: 'Show on a web map',
    openLink: 'Open link',
    call: 'Call',
    to: 'To',
    subject: 'Subject',
    message: 'Message',
    write: 'Write an e-mail',
    send: 'Write the message',
  },
  zh: {
    network: '网络名称',
    password: '密码',
    identity: '用户名',
    security: '加密方式',
    open: '开放网络，无需密码',
    hidden: '隐藏网络',
    hiddenHow: '是，需手动输入名称',
    wifiHow: '用手机相机扫描二维码即可连接，也可选择该网络并输入密码。',
    name: '姓名',
    organization: '单位',
    jobTitle: '职务',
    phone: '电话',
    email: '邮箱',
    address: '地址',
    website: '网站',
    birthday: '生日',
    note: '备注',
    saveContact: '保存联系人',
    title: '日程',
    when: '时间',
    where: '地点',
    addToCalendar: '添加到日历',
    zone: (zone: string) => `（${zone}）`,
    coordinates: '坐标',
    place: '地点',
    openMap: '用地图应用打开',
    webMap: '查看网页地图',
    openLink: '打开链接',
    call: '拨打电话',
    to: '收件人',
    subject: '主题',
    message: '内容',
    write: '写邮件',
    send: '发短信',
  },
} as const satisfies Record<Locale, object>

/** `files` is the path of the code's files, with a slash at its end. */
export function contentOf(content: string, read: QrContent, files: string, locale: Locale): Html {
  switch (read.type) {
    case 'wifi':
      return wifi(read, locale)
    case 'contact':
      return contact(read, files, locale)
    case 'event':
      return event(read, files, locale)
    case 'place':
      return place(read, locale)
    case 'mail':
      return mail(read, locale)
    case 'phone':
      return phone(read, locale)
    case 'sms':
      return sms(read, locale)
    case 'url':
      return html`<p class="lead host">${read.url.host}</p>
        ${text(content.trim())}${button(WORDS[locale].openLink, { href: read.url.href })}`
    case 'text':
      return text(content)
  }
}

function wifi({ network, password, identity, security, isHidden }: Wifi, locale: Locale): Html {
  const words = WORDS[locale]
  return html`${facts([
      [words.network, copyable(network)],
      [words.identity, identity && copyable(identity)],
      [words.password, password && copyable(password)],
      [words.security, security === '' && password === '' ? words.open : security],
      [words.hidden, isHidden ? words.hiddenHow : ''],
    ])}
    <p class="hint">${words.wifiHow}</p>`
}

function contact(read: Contact, files: string, locale: Locale): Html {
  const words = WORDS[locale]
  return html`${facts([
    [words.name, read.name],
    [words.organization, read.organization],
    [words.jobTitle, read.title],
    ...read.phones.map((number) => [words.phone, linked(number, `tel:${number.replace(/[^+\d*#,]/g, '')}`)] as const),
    ...read.emails.map(
      (address) => [words.email, linked(address, `mailto:${encodeURIComponent(address.toWellFormed())}`)] as const,
    ),
    ...read.addresses.map((address) => [words.address, onMap(address, locale)] as const),
    ...read.urls.map((url) => [words.website, linked(url, url)] as const),
    [words.birthday, read.birthday],
    [words.note, read.note && text(read.note)],
  ])}${button(words.saveContact, { href: files + CONTACT_FILE })}`
}

/** Numbers, mail addresses and websites of strangers: a link only for the schemes that a button may have. */
function linked(label: string, href: string): Html | string {
  const url = /^(?:https?:\/\/|mailto:.|tel:.)/i.test(href) ? URL.parse(href) : null
  return url === null ? label : html`<a href="${url.href}" rel="noreferrer nofollow">${label}</a>`
}

const onMap = (address: string, locale: Locale): Html | string => {
  const link = mapLink({ name: '', address, latitude: null, longitude: null }, locale)
  return link === undefined ? address : linked(address, link)
}

function event(read: CalendarEvent, files: string, locale: Locale): Html {
  const words = WORDS[locale]
  const pairs: Facts = [
    [words.title, read.title],
    [words.when, whenText(read, locale)],
    [words.where, read.location && onMap(read.location, locale)],
    [words.website, linked(read.url, read.url)],
  ]
  return html`${facts(pairs)}${read.description !== '' && text(read.description)}
  ${button(words.addToCalendar, { href: files + EVENT_FILE })}`
}

/** The time as the code has it. The page does not know the time zone of its reader. */
function whenText({ start, end }: CalendarEvent, locale: Locale): string {
  const format = new Intl.DateTimeFormat(locale === 'zh' ? 'zh-CN' : 'en', {
    dateStyle: 'full',
    ...(!start.isDay && { timeStyle: 'short' }),
    timeZone: 'UTC',
  })
  const last = end && lastMoment(end)
  const period = last !== undefined && last > start.at ? format.formatRange(start.at, last) : format.format(start.at)
  const zone = end !== undefined && end.zone !== start.zone ? `${start.zone} – ${end.zone}` : start.zone
  return start.isDay || zone === '' ? period : `${period} ${WORDS[locale].zone(zone)}`
}

const lastMoment = ({ at, isDay }: Moment): number => (isDay ? at - DAY : at)

function place({ latitude, longitude, name }: Place, locale: Locale): Html {
  const words = WORDS[locale]
  const position = `${latitude},${longitude}`
  const label = name === '' ? '' : `(${encodeURIComponent(name.toWellFormed())})`
  const web = mapLink({ name, address: '', latitude, longitude }, locale)!
  return html`${facts([
    [words.place, name],
    [words.coordinates, `${latitude}, ${longitude}`],
  ])}${button(words.openMap, { href: `geo:${position}?q=${position}${label}` })}${button(words.webMap, { href: web, kind: 'plain' })}`
}

function mail({ to, subject, body, href }: Mail, locale: Locale): Html {
  const words = WORDS[locale]
  return html`${facts([
    [words.to, to],
    [words.subject, subject],
    [words.message, body && text(body)],
  ])}${button(words.write, { href })}`
}

const phone = ({ number, href }: Phone, locale: Locale): Html =>
  html`<p class="lead">${number}</p>
    ${button(WORDS[locale].call, { href })}`

function sms({ number, body, href }: Sms, locale: Locale): Html {
  const words = WORDS[locale]
  return html`${facts([
    [words.to, number],
    [words.message, body && text(body)],
  ])}${button(words.send, { href })}
  ${number !== '' && button(words.call, { href: `tel:${number.replace(/[^+\d*]/g, '')}`, kind: 'plain' })}`
}

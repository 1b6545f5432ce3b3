import { badRequest, forbidden, limited } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

export const switchedOff = () => forbidden('Webhooks are switched off on this server', '本服务器已停用 Webhook')

export const needsAddress = () =>
  forbidden(
    'Bind an e-mail address first, so that you can be reached about the webhook',
    '请先绑定邮箱，以便就 Webhook 与你联系',
  )

export const tooMany = (most: number) =>
  limited(`There can be at most ${most} webhooks here`, `Webhook 最多 ${most} 个`, 3600)

export const notPublic = () =>
  invalid(
    'body.url',
    'must be an https address on the public internet, without user and password; the operator can allow others with TESSERA_PRIVATE_TARGETS',
    '须为公网 https 地址，且不含用户名和密码；运营者可通过 TESSERA_PRIVATE_TARGETS 允许其他地址',
  )
export const refusedPort = () =>
  invalid('body.url', 'must have port 443 or one from 1024 to 65535', '端口须为 443 或 1024 至 65535')
export const unknownEvents = (unknown: string, i: number) =>
  invalid(
    `body.events.${i}`,
    `is no event of this webhook: ${unknown}. See /webhooks.json`,
    `不是此 Webhook 可用的事件：${unknown}，见 /webhooks.json`,
  )
export const isOff = () => badRequest('The webhook is switched off: switch it on first', 'Webhook 已停用，请先启用')
export const emptySpan = () => invalid('body.to', 'must be later than `from`', '须晚于 from')

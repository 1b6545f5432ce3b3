/** Helpers for the tests of gates without an account. */

import type { GateView, NewGate } from '#domains/activities/gate-links/gate-links.model.ts'

import { type Method, ok, type Person, type Reply, type RequestOptions, type TestServer } from '../harness/index.ts'

export const createGate = async (person: Person, id: number, fields: Partial<NewGate> = {}): Promise<GateView> =>
  ok(await person.call('activityGates.create', { params: { id }, body: { name: 'Main entrance', ...fields } })).data

export const secretOf = ({ url }: Pick<GateView, 'url'>): string => url!.slice(url!.indexOf('#') + 1)

let devices = 0
export const deviceId = (): string => `device-of-a-test-${String(++devices).padStart(4, '0')}`

type Asked = Pick<TestServer, 'request'>

/** Opens the link of a gate on a device. */
export const openGate = (
  server: Asked,
  secret: string,
  { device = deviceId(), name }: { device?: string; name?: string } = {},
): Promise<Reply> =>
  server.request('POST', '/public/gate/session', { body: { secret, deviceId: device, deviceName: name } })

/** A device that has opened a gate. */
export interface Device {
  readonly token: string
  readonly id: number
  send(method: Method, path: string, options?: RequestOptions): Promise<Reply>
}

export const deviceWith = (server: Asked, token: string, id = 0): Device => ({
  token,
  id,
  send: (method, path, options = {}) => server.request(method, path, { ...options, token }),
})

export async function deviceAt(
  server: Asked,
  gate: Pick<GateView, 'url'>,
  opening: { device?: string; name?: string } = {},
): Promise<Device> {
  const { token, gate: opened } = ok(await openGate(server, secretOf(gate), opening)).data
  return deviceWith(server, token, opened.device.id)
}

export const scan = (device: Device, body: object) =>
  device.send('POST', '/public/gate/verify', { body: { redeem: true, ...body } })
export const uploadFrom = (device: Device, items: readonly object[]) =>
  device.send('POST', '/public/gate/redemptions', { body: { items } })
export const undoAt = (device: Device, id: number, body: object = {}) =>
  device.send('POST', `/public/gate/records/${id}/undo`, { body })
export const searchFrom = (device: Device, keyword: string) =>
  device.send('GET', '/public/gate/passes', { query: { keyword } })

export const gateOf = async (person: Person, id: number, gateId: number): Promise<GateView> => {
  const { items } = ok(await person.call('activityGates.list', { params: { id }, query: { size: 100 } })).data
  return items.find((gate) => gate.id === gateId)!
}

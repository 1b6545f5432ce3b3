/**
 * The gates without an account that this browser has opened by their links. They are kept, so that the page opens again without its link and
 * without a connection, and scans of a gate that has ended are still sent.
 */

import { callWith } from '../../../api/client.ts'
import type { GateSession } from '../../../api/types.ts'
import { storage } from '../../../browser/storage.ts'

export type KeptGate = Omit<GateSession, 'keys'>

const GATES = 'tessera.gates'
const DEVICE = 'tessera.gateDevice'
const NAME = 'tessera.gateDeviceName'
/** The oldest give way. */
const MAX_GATES = 20

/** The last one that was opened comes first. */
export function keptGates(): readonly KeptGate[] {
  try {
    return JSON.parse(storage.getItem(GATES) ?? '[]') as KeptGate[]
  } catch {
    return []
  }
}

export const gateSession = (id: number): KeptGate | undefined => keptGates().find(({ gate }) => gate.id === id)

const write = (gates: readonly KeptGate[]): void => storage.setItem(GATES, JSON.stringify(gates.slice(0, MAX_GATES)))

/** A newer state of a gate: its name, for example, may have been changed. Another tab may have opened a newer token. */
export function keepState(id: number, state: Pick<KeptGate, 'gate' | 'activity' | 'lists'>): void {
  write(keptGates().map((kept) => (kept.gate.id === id ? { ...kept, ...state } : kept)))
}

export const forgetGate = (id: number): void => write(keptGates().filter(({ gate }) => gate.id !== id))

/** The name that was typed for an earlier gate. */
export const deviceName = (): string => storage.getItem(NAME) ?? ''

/** Opens a link. A device that opens it again counts once. @throws ApiError */
export async function openGate(secret: string, name: string): Promise<KeptGate> {
  let deviceId = storage.getItem(DEVICE)
  if (deviceId === null) {
    deviceId = crypto.getRandomValues(new Uint32Array(4)).join('-')
    storage.setItem(DEVICE, deviceId)
  }
  storage.setItem(NAME, name)
  const body = { secret, deviceId, deviceName: name.trim() || null }
  const { keys: _, ...kept } = (await callWith('gate.open', { body }, { waitsForSignIn: false })) as GateSession
  write([kept, ...keptGates().filter(({ gate }) => gate.id !== kept.gate.id)])
  return kept
}

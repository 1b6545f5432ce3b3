/** The camera of the device as a video, with its choice, its light, and the reason why there is no picture. */

import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

import { storage } from '../browser/storage.ts'

/** `insecure`: browsers give cameras only to pages that were opened over HTTPS or on the computer itself. */
export type CameraProblem = 'insecure' | 'refused' | 'missing' | 'busy'

export interface Camera {
  readonly video: RefObject<HTMLVideoElement | null>
  readonly isRunning: boolean
  readonly problem: CameraProblem | undefined
  readonly cameras: readonly MediaDeviceInfo[]
  /** `deviceId` of the camera that is used. */
  readonly chosen: string | undefined
  readonly choose: (deviceId: string) => void
  /** Undefined if the camera has no light. */
  readonly light: boolean | undefined
  readonly setLight: (isOn: boolean) => void
  readonly retry: () => void
}

const CHOSEN = 'tessera.camera'

/** `torch` is part of the Image Capture API, which TypeScript does not know. */
type TorchCapabilities = MediaTrackCapabilities & { torch?: boolean }
type TorchConstraints = MediaTrackConstraintSet & { torch?: boolean }

/** Runs the camera while the component is shown. */
export function useCamera(): Camera {
  const video = useRef<HTMLVideoElement>(null)
  const track = useRef<MediaStreamTrack>(undefined)
  const [wanted, setWanted] = useState(() => storage.getItem(CHOSEN) ?? undefined)
  const [chosen, setChosen] = useState<string>()
  const [attempt, setAttempt] = useState(0)
  const [isRunning, setRunning] = useState(false)
  const [problem, setProblem] = useState<CameraProblem>()
  const [cameras, setCameras] = useState<readonly MediaDeviceInfo[]>([])
  const [light, setLightState] = useState<boolean>()

  useEffect(() => {
    let isGone = false
    let stream: MediaStream | undefined
    const start = async () => {
      setProblem(undefined)
      // Old WebViews have no mediaDevices on insecure pages, although the types say so.
      if (!globalThis.isSecureContext || !('mediaDevices' in navigator)) return setProblem('insecure')
      try {
        stream = await open(wanted)
      } catch (error) {
        return isGone ? undefined : setProblem(problemOf(error))
      }
      if (isGone) return stopAll(stream)
      const current = stream.getVideoTracks()[0]!
      track.current = current
      setChosen(current.getSettings().deviceId)
      const { torch } = (current.getCapabilities?.() ?? {}) as TorchCapabilities
      setLightState(torch ? false : undefined)
      current.addEventListener('ended', () => !isGone && setProblem('busy'))
      const element = video.current
      if (element !== null) {
        element.srcObject = stream
        // Rejected only if the stream was replaced meanwhile.
        await element.play().catch(() => undefined)
      }
      if (isGone) return
      setRunning(true)
      // Their names are known only after the permission was given.
      const devices = await navigator.mediaDevices.enumerateDevices().catch(() => [])
      if (!isGone) setCameras(devices.filter(({ kind, deviceId }) => kind === 'videoinput' && deviceId !== ''))
    }
    void start()
    return () => {
      isGone = true
      track.current = undefined
      setRunning(false)
      if (stream) stopAll(stream)
    }
  }, [wanted, attempt])

  const choose = useCallback((deviceId: string) => {
    storage.setItem(CHOSEN, deviceId)
    setWanted(deviceId)
  }, [])
  const setLight = useCallback((isOn: boolean) => {
    const constraints: TorchConstraints = { torch: isOn }
    void track.current?.applyConstraints({ advanced: [constraints] }).then(
      () => setLightState(isOn),
      () => setLightState(undefined),
    )
  }, [])
  const retry = useCallback(() => setAttempt((n) => n + 1), [])
  return { video, isRunning, problem, cameras, chosen, choose, light, setLight, retry }
}

async function open(deviceId: string | undefined): Promise<MediaStream> {
  const size = { width: { ideal: 1280 }, height: { ideal: 720 } }
  if (deviceId !== undefined)
    try {
      return await navigator.mediaDevices.getUserMedia({ video: { deviceId: { exact: deviceId }, ...size } })
    } catch (error) {
      // The camera that was chosen last time is not connected.
      if ((error as Error).name !== 'OverconstrainedError' && (error as Error).name !== 'NotFoundError') throw error
    }
  return await navigator.mediaDevices.getUserMedia({ video: { facingMode: { ideal: 'environment' }, ...size } })
}

const stopAll = (stream: MediaStream): void => {
  for (const track of stream.getTracks()) track.stop()
}

/** By the names of the exceptions that getUserMedia throws. */
function problemOf(error: unknown): CameraProblem {
  switch ((error as Error).name) {
    case 'NotAllowedError':
    case 'SecurityError':
      return 'refused'
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'missing'
    default:
      return 'busy'
  }
}

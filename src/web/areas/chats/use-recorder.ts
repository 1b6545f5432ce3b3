/** Records a voice message with the microphone of the device. */

import { useCallback, useEffect, useRef, useState } from 'react'

/** Milliseconds of a voice message (docs/chat.md), less what browsers take to stop. */
const LONGEST = 599_000
/** Enough for speech. */
const BITS_PER_SECOND = 32_000
const TICK = 200

/** MP4 with AAC is played everywhere, and recorded by Safari and some Chromium. Safari before 18.4 plays none of the others. */
const TYPES = ['audio/mp4;codecs=mp4a.40.2', 'audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4']

/** `insecure`: browsers give microphones only to pages that were opened over HTTPS or on the computer itself. */
export type MicrophoneProblem = 'insecure' | 'unable' | 'refused' | 'missing' | 'busy'

export interface Voice {
  readonly file: File
  readonly durationMs: number
}

export type Recording =
  | { readonly step: 'asking' }
  | { readonly step: 'recording' }
  | { readonly step: 'recorded'; readonly voice: Voice; readonly isFull: boolean }
  | { readonly step: 'failed'; readonly problem: MicrophoneProblem }

export interface Recorder {
  readonly recording: Recording
  /** Milliseconds. */
  readonly elapsed: number
  readonly stop: () => void
}

/** Records from the moment the component is shown. The microphone is released when it is hidden. */
export function useRecorder(): Recorder {
  const [recording, setRecording] = useState<Recording>({ step: 'asking' })
  const [elapsed, setElapsed] = useState(0)
  const stopping = useRef<() => void>(undefined)
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    record(signal, {
      onStart(stop) {
        stopping.current = stop
        setRecording({ step: 'recording' })
      },
      onTick: setElapsed,
    }).then(
      ({ voice, isFull }) => signal.aborted || setRecording({ step: 'recorded', voice, isFull }),
      (error: unknown) => signal.aborted || setRecording({ step: 'failed', problem: problemOf(error) }),
    )
    return () => ending.abort()
  }, [])
  const stop = useCallback(() => stopping.current?.(), [])
  return { recording, elapsed, stop }
}

interface Progress {
  /** Takes the function that ends the recording. */
  onStart: (stop: () => void) => void
  onTick: (elapsed: number) => void
}

/** The problem is its message. */
const failure = (problem: MicrophoneProblem): Error => new Error(problem)

/** @throws of `failure`, and of `getUserMedia` */
async function record(signal: AbortSignal, { onStart, onTick }: Progress): Promise<{ voice: Voice; isFull: boolean }> {
  // Old WebViews have no mediaDevices on insecure pages, although the types say so.
  if (!globalThis.isSecureContext || !('mediaDevices' in navigator)) throw failure('insecure')
  const mimeType = 'MediaRecorder' in globalThis && TYPES.find((type) => MediaRecorder.isTypeSupported(type))
  if (!mimeType) throw failure('unable')
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
  const release = (): void => {
    for (const track of stream.getTracks()) track.stop()
  }
  if (signal.aborted) release()
  signal.throwIfAborted()
  let timer: ReturnType<typeof setInterval> | undefined
  try {
    const recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: BITS_PER_SECOND })
    const pieces: Blob[] = []
    recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data))
    const stop = () => recorder.state !== 'inactive' && recorder.stop()
    signal.addEventListener('abort', stop)
    let [startedAt, isFull] = [0, false]
    await new Promise<void>((resolve, reject) => {
      recorder.addEventListener('start', () => {
        startedAt = performance.now()
        timer = setInterval(() => {
          const elapsed = performance.now() - startedAt
          onTick(elapsed)
          if (elapsed < LONGEST) return
          isFull = true
          stop()
        }, TICK)
        onStart(stop)
      })
      recorder.addEventListener('stop', () => resolve())
      recorder.addEventListener('error', () => reject(failure('busy')))
      recorder.start()
    })
    const durationMs = Math.max(1, Math.round(performance.now() - startedAt))
    const [type = ''] = recorder.mimeType.split(';')
    const name = `voice.${type === 'audio/mp4' ? 'm4a' : type.replace(/^audio\//, '')}`
    const file = new File(pieces, name, { type })
    // The microphone was unplugged at once.
    if (file.size === 0) throw failure('busy')
    return { voice: { file, durationMs }, isFull }
  } finally {
    clearInterval(timer)
    release()
  }
}

/** By the problems above, and the names of the exceptions of `getUserMedia`. */
function problemOf(error: unknown): MicrophoneProblem {
  const { name, message } = error as Error
  if (message === 'insecure' || message === 'unable') return message
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused'
  return name === 'NotFoundError' || name === 'OverconstrainedError' ? 'missing' : 'busy'
}

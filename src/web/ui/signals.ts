/** Sounds and vibration for scans, so that people can look at the visitor or the thing instead of the screen. */

let audio: AudioContext | undefined

/** Browsers allow sounds after a touch or a key only: called by the button that starts the scanning. */
export function allowSound(): void {
  audio ??= new AudioContext()
  void audio.resume()
}

/** One high tone for a good result, two low ones for a refusal. */
export function signal(isGood: boolean): void {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(isGood ? 80 : [200, 80, 200])
  if (audio === undefined) return
  for (const start of isGood ? [0] : [0, 0.22]) tone(audio, isGood ? 1046 : 196, audio.currentTime + start)
}

function tone(context: AudioContext, hertz: number, start: number): void {
  const oscillator = context.createOscillator()
  const volume = context.createGain()
  oscillator.frequency.value = hertz
  volume.gain.setValueAtTime(0.25, start)
  volume.gain.exponentialRampToValueAtTime(0.001, start + 0.18)
  oscillator.connect(volume).connect(context.destination)
  oscillator.start(start)
  oscillator.stop(start + 0.2)
}

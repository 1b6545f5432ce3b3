// Runs in the browser on the page of a kiosk: shows the present check-in code, the time, and how many have checked in.
const { state, picture, alt, zone, how, closed, lost, ended } = document.currentScript.dataset
const { lang } = document.documentElement
const code = document.querySelector('#kiosk-code')
const text = document.querySelector('#kiosk-text')
const count = document.querySelector('#kiosk-count')
const clock = document.querySelector('#kiosk-clock')

const ASK_EVERY_MS = 5000
// Codes are good for at least 15 seconds after the screen should show the next one.
const MAX_AGE_MS = 14_000

const time = new Intl.DateTimeFormat(lang, { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
let content
let answeredAt = 0

function show(sentence, image) {
  text.textContent = sentence
  code.replaceChildren(...(image ? [image] : []))
  if (!image) content = undefined
}

async function showCode(next) {
  if (next === content) return
  const image = new Image(1024, 1024)
  image.className = 'qr'
  image.alt = alt
  image.src = `${picture}${encodeURIComponent(next)}&size=1024`
  await image.decode()
  content = next
  show(how, image)
}

async function ask() {
  const answer = await fetch(state, { cache: 'no-store', referrerPolicy: 'no-referrer' })
  if (answer.status === 404) {
    show(ended)
    count.hidden = true
    return false
  }
  if (!answer.ok) throw new Error(`status ${answer.status}`)
  const { data } = await answer.json()
  count.hidden = false
  count.querySelector('b').textContent = data.checkIns.toLocaleString(lang)
  if (data.content === null) show(closed)
  else await showCode(data.content)
  answeredAt = performance.now()
  return true
}

async function run() {
  try {
    if (!(await ask())) return
  } catch {
    if (performance.now() - answeredAt > MAX_AGE_MS || content === undefined) show(lost)
  }
  setTimeout(run, ASK_EVERY_MS)
}

function tick() {
  clock.textContent = time.format(Date.now())
}

async function keepOn() {
  if (document.visibilityState === 'visible') await navigator.wakeLock?.request('screen').catch(() => {})
}

// The page says that it needs this script.
show('')
tick()
setInterval(tick, 1000)
document.addEventListener('visibilitychange', keepOn)
void keepOn()
void run()

// Runs in the browser on pages that name times in the zone of an activity: adds them in the zone of the visitor where its clocks show
// something else. Pages work without it.
const { text, locale } = document.currentScript.dataset

const period = (from, to, options) => new Intl.DateTimeFormat(locale, options).formatRange(from, to)
const days = (from, to, timeZone) => period(from, to, { dateStyle: 'full', timeZone })
const clocks = (from, to, timeZone) => period(from, to, { dateStyle: 'full', timeStyle: 'short', timeZone })

/** The city of an IANA name; Chinese pages have the name of the zone, because cities have English names only. */
function placeOf(timeZone, at) {
  if (locale === 'en') return timeZone.split('/').at(-1).replaceAll('_', ' ')
  const parts = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'longGeneric' }).formatToParts(at)
  return parts.find(({ type }) => type === 'timeZoneName').value
}

function add(place) {
  const [from, to] = [Number(place.dataset.from), Number(place.dataset.to)]
  const { zone } = place.dataset
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  if (!timeZone || clocks(from, to, zone) === clocks(from, to, timeZone)) return
  const isSameDay = days(from, to, zone) === days(from, to, timeZone)
  const time = isSameDay ? period(from, to, { timeStyle: 'short', timeZone }) : clocks(from, to, timeZone)
  const line = document.createElement('p')
  line.className = 'hint'
  line.textContent = text.replace('{time}', () => time).replace('{place}', () => placeOf(timeZone, from))
  place.append(line)
}

for (const place of document.querySelectorAll('[data-zone]'))
  try {
    add(place)
  } catch {
    // The browser does not know one of the zones.
  }

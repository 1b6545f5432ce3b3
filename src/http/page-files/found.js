// Runs in the browser on the public page of a thing that may be lost: offers its finder to send the position with the message.
const words = document.currentScript.dataset
const place = document.querySelector('#position')

function show(text, label, onClick) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'button plain'
  button.textContent = label
  button.addEventListener('click', onClick)
  const remark = document.createElement('p')
  remark.className = 'hint'
  remark.role = 'status'
  remark.textContent = text
  place.replaceChildren(button, remark)
}

const offer = (text) => show(text, words.add, ask)

function ask() {
  show(words.asked, words.add, ask)
  navigator.geolocation.getCurrentPosition(add, () => offer(words.failed), {
    enableHighAccuracy: true,
    timeout: 30_000,
  })
}

function add({ coords }) {
  show(words.added, words.remove, () => offer(''))
  for (const [name, value] of [
    ['latitude', coords.latitude.toFixed(6)],
    ['longitude', coords.longitude.toFixed(6)],
    ['accuracy', coords.accuracy.toFixed(1)],
  ]) {
    const input = document.createElement('input')
    input.type = 'hidden'
    input.name = name
    input.value = value
    place.append(input)
  }
}

// Browsers tell no position to pages without TLS.
if (place && window.isSecureContext && navigator.geolocation) offer('')

// Runs in the browser on the page of a check from outside: reports whether the browser allows the pages of this address camera and position.
const { allowed, refused } = document.currentScript.dataset
const scheme = location.protocol.slice(0, -1)
const secureContext = window.isSecureContext
document.querySelector('#check-camera').textContent = secureContext ? allowed : refused
fetch(location.pathname, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ scheme, secureContext }),
}).catch(() => {})

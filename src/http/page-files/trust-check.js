// Runs in the browser on the page about trust, over plain http: asks over https until the device trusts the server.
const { address, fingerprint, trusted, waiting } = document.currentScript.dataset
const result = document.querySelector('#trust-check')

// Milliseconds. The browser answers at once where it does not trust the server.
const PATIENCE = 4000
const PAUSE = 3000

async function isTrusted() {
  try {
    const answer = await fetch(address, {
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.timeout(PATIENCE),
    })
    return (await answer.json()).fingerprint === fingerprint
  } catch {
    return false
  }
}

async function check() {
  if (!document.hidden) {
    const isDone = await isTrusted()
    result.textContent = isDone ? trusted : waiting
    if (isDone) return
  }
  setTimeout(check, PAUSE)
}

check()

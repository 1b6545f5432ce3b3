// Runs in the browser on pages with values to copy: adds a button to each. Pages work without it.
const { copy, copied } = document.currentScript.dataset

// Only servers with https have navigator.clipboard; many run in a local network without it.
async function copyText(element) {
  getSelection().selectAllChildren(element)
  try {
    await navigator.clipboard.writeText(element.textContent)
    return true
  } catch {
    return document.execCommand('copy')
  }
}

for (const element of document.querySelectorAll('.copyable')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = copy
  button.setAttribute('aria-live', 'polite')
  button.addEventListener('click', async () => {
    if (!(await copyText(element))) return
    button.textContent = copied
    setTimeout(() => (button.textContent = copy), 2000)
  })
  element.after(button)
}

// Runs in the browser on /docs: shows /openapi.json and follows the system's light or dark look.
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

globalThis.SwaggerUIBundle({
  dom_id: '#ui',
  url: '/openapi.json',
  layout: 'BaseLayout',
  deepLinking: true,
  // Hundreds of operations: the sections first.
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
  // Neither the document nor a token leaves this server.
  validatorUrl: null,
  persistAuthorization: false,
})

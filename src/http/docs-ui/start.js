// Runs in the browser on /docs: shows /openapi.json, light or dark like the system.
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

globalThis.SwaggerUIBundle({
  dom_id: '#ui',
  url: '/openapi.json',
  layout: 'BaseLayout',
  deepLinking: true,
  // There are hundreds of operations: start with the closed sections.
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
  // Never send the document to a public validator, and never store tokens.
  validatorUrl: null,
  persistAuthorization: false,
})

/**
 * The files of /docs. They are embedded in the executable: each import is a path (in the source tree or inside the binary), and the
 * bytes are read when a browser requests them. Why Swagger UI and not Scalar: docs/adr/0004-api-document.md.
 */

import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }

import start from './start.js' with { type: 'file' }

import look from './look.css' with { type: 'file' }
import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }

export interface Asset {
  /** Last part of the path under /docs, and of the endpoint's id. */
  name: string
  /** Path of the embedded file. */
  file: string
  type: string
}

const JAVASCRIPT = 'text/javascript; charset=utf-8'
const CSS = 'text/css; charset=utf-8'

export const assets: readonly Asset[] = [
  { name: 'swagger-ui.js', file: script, type: JAVASCRIPT },
  { name: 'start.js', file: start, type: JAVASCRIPT },
  { name: 'swagger-ui.css', file: style, type: CSS },
  { name: 'look.css', file: look, type: CSS },
]

export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>API · Tessera</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/look.css">
</head>
<body>
<noscript>This page needs JavaScript. The document itself: <a href="/openapi.json">/openapi.json</a></noscript>
<div id="ui"></div>
<script src="/docs/swagger-ui.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/** Allows this server only, and the `data:` images of Swagger UI's style sheet. */
export const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

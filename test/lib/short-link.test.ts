import { expect, test } from 'bun:test'

import { inPicture, shortLinks } from '#lib/short-link.ts'

const HERE = 'https://qr.example.org'

test.each([
  ['', 'https://qr.example.org/q/menu', 'HTTPS://QR.EXAMPLE.ORG/Q/MENU'],
  [HERE, 'https://qr.example.org/q/menu', 'HTTPS://QR.EXAMPLE.ORG/Q/MENU'],
  ['https://qr.example.org/go', 'https://qr.example.org/go/q/menu', 'https://qr.example.org/go/q/menu'],
  ['https://go.example.org', 'https://go.example.org/menu', 'HTTPS://GO.EXAMPLE.ORG/MENU'],
  ['https://go.example.org/x', 'https://go.example.org/x/menu', 'https://go.example.org/x/menu'],
  ['https://qr.example.org:8443', 'https://qr.example.org:8443/menu', 'HTTPS://QR.EXAMPLE.ORG:8443/MENU'],
])('short links with the address %p', (shortUrl, link, picture) => {
  const links = shortLinks(HERE, shortUrl)
  expect(links.start + 'menu').toBe(link)
  expect(inPicture(links, 'menu')).toBe(picture)
})

test.each(['Menu', 'spring_menu', 'M', '_'])('pictures hold the imported slug %p as it is', (slug) =>
  expect(inPicture(shortLinks(HERE, ''), slug)).toBe(`https://qr.example.org/q/${slug}`),
)

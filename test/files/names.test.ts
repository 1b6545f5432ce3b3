import { expect, test } from 'bun:test'

import { storedName } from '#domains/files/storing.rules.ts'

const long = '照'.repeat(200)

test.each([
  ['a.heic', 'image/jpeg', 'a.jpg'],
  ['IMG_1.JPEG', 'image/jpeg', 'IMG_1.JPEG'],
  ['a.gif', 'image/png', 'a.png'],
  ['报告 2.0 版', 'text/plain', '报告 2.0 版.txt'],
  ['notes.md', 'text/plain', 'notes.md'],
  ['evil.html', 'text/plain', 'evil.txt'],
  ['run.exe', 'application/pdf', 'run.pdf'],
  ['../../etc/passwd', 'text/plain', 'passwd.txt'],
  ['C:\\Users\\mei\\a.pdf', 'application/pdf', 'a.pdf'],
  ['folder/', 'text/plain', 'folder.txt'],
  ['', 'text/plain', 'file.txt'],
  ['..', 'text/plain', 'file.txt'],
  ['///', 'text/plain', 'file.txt'],
  ['\0\r\n', 'text/plain', 'file.txt'],
  ['.htaccess', 'text/plain', '.htaccess.txt'],
  ['photo\u202egpj.exe', 'image/png', 'photogpj.png'],
  ['a\u200bb\ud800.png', 'image/png', 'ab\ufffd.png'],
  ['e\u0301.png', 'image/png', '\u00e9.png'],
  ['a. . .', 'text/plain', 'a.txt'],
  [long, 'text/plain', `${'照'.repeat(83)}.txt`],
  [`${long}.csv`, 'text/csv', `${'照'.repeat(83)}.csv`],
  ['x.mp4', 'video/mp4', 'x.mp4'],
  ['x', 'application/x-unknown', 'x.x-unknown'],
])('a file sent as %j with the type %s is stored as %j', (given, mime, stored) => {
  expect(storedName(given, mime)).toBe(stored)
  expect(new TextEncoder().encode(storedName(given, mime)).length).toBeLessThanOrEqual(255)
})

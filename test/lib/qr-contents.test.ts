/** Contents of QR codes are read as people understand them, and hostile ones as plain text. */

import { describe, expect, test } from 'bun:test'

import { contactFile, eventFile, type QrContent, readContent } from '#lib/qr-contents/index.ts'

const wifi = (more: object) => ({ type: 'wifi', security: 'WPA', password: '', identity: '', isHidden: false, ...more })
const contact = (more: object) => ({
  type: 'contact',
  name: '',
  organization: '',
  title: '',
  phones: [],
  emails: [],
  addresses: [],
  urls: [],
  birthday: '',
  note: '',
  ...more,
})

const TABLE: readonly (readonly [content: string, read: object])[] = [
  ['WIFI:S:office;T:WPA;P:secret;;', wifi({ network: 'office', password: 'secret' })],
  ['wifi:T:wpa;S:office;P:secret;H:true;;', wifi({ network: 'office', password: 'secret', isHidden: true })],
  ['WIFI:S:a\\;b\\:c\\\\d\\,e;T:WPA;P:\\"x\\";;', wifi({ network: 'a;b:c\\d,e', password: 'x' })],
  ['WIFI:S:"1234";T:WPA;P:"abcd";;', wifi({ network: '1234', password: 'abcd' })],
  ['WIFI:S:guests;T:nopass;;', wifi({ network: 'guests', security: '' })],
  ['WIFI:S:no end;T:SAE;P:a:b', wifi({ network: 'no end', security: 'SAE', password: 'a:b' })],
  ['WIFI:S:uni;T:WPA2-EAP;I:mei;P:p;;', wifi({ network: 'uni', security: 'WPA2-EAP', identity: 'mei', password: 'p' })],
  ['WIFI:T:WPA;P:secret;;', { type: 'text' }],
  ['WIFI:', { type: 'text' }],
  [
    'BEGIN:VCARD\r\nVERSION:3.0\r\nN:Lovelace;Ada;;;\r\nFN:Ada Lovelace\r\nORG:Engines\\, Ltd.;Numbers\r\nTITLE:Analyst\r\nitem1.TEL;TYPE=CELL:+44 20 1\r\nTEL;TYPE="work,voice":tel:+44-20-2\r\nEMAIL:ada@example.org\r\nADR;TYPE=home:;;1 Main St\\; rear;London;;W1;UK\r\nURL:https://example.org\r\nBDAY:1815-12-10\r\nNOTE:first line\\nsecond\r\nEND:VCARD',
    contact({
      name: 'Ada Lovelace',
      organization: 'Engines, Ltd., Numbers',
      title: 'Analyst',
      phones: ['+44 20 1', '+44-20-2'],
      emails: ['ada@example.org'],
      addresses: ['1 Main St; rear, London, W1, UK'],
      urls: ['https://example.org'],
      birthday: '1815-12-10',
      note: 'first line\nsecond',
    }),
  ],
  ['BEGIN:VCARD\nN:Lovelace;Ada\nTEL:1\nEND:VCARD', contact({ name: 'Ada Lovelace', phones: ['1'] })],
  ['BEGIN:VCARD\nN:李;梅\nTEL:1\nEND:VCARD', contact({ name: '李梅', phones: ['1'] })],
  ['BEGIN:VCARD\nFN:Ada Love\n lace\nEND:VCARD', contact({ name: 'Ada Lovelace' })],
  [
    'BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=E6=9D=8E;=\n=E6=A2=85\nEND:VCARD',
    contact({ name: '李梅' }),
  ],
  ['BEGIN:VCARD\nVERSION:3.0\nEND:VCARD', { type: 'text' }],
  [
    'MECARD:N:Lovelace,Ada;TEL:+44201;TEL:+44202;EMAIL:a@example.org;ADR:,,1 Main St,London;URL:http://example.org;NOTE:a\\;b;;',
    contact({
      name: 'Ada Lovelace',
      phones: ['+44201', '+44202'],
      emails: ['a@example.org'],
      addresses: ['1 Main St, London'],
      urls: ['http://example.org'],
      note: 'a;b',
    }),
  ],
  [
    'BIZCARD:N:Ada;X:Lovelace;T:Analyst;C:Engines;B:+4420;E:a@b.c;;',
    contact({ name: 'Ada Lovelace', title: 'Analyst', organization: 'Engines', phones: ['+4420'], emails: ['a@b.c'] }),
  ],
  [
    'BEGIN:VEVENT\nSUMMARY:Tea\\, cake\nDTSTART:20261128T140000Z\nDTEND:20261128T153000Z\nLOCATION:Hall 1\nDESCRIPTION:Bring\\na cup\nEND:VEVENT',
    {
      type: 'event',
      title: 'Tea, cake',
      start: { at: Date.UTC(2026, 10, 28, 14), isDay: false, zone: 'UTC' },
      end: { at: Date.UTC(2026, 10, 28, 15, 30), isDay: false, zone: 'UTC' },
      location: 'Hall 1',
      description: 'Bring\na cup',
      url: '',
    },
  ],
  [
    'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Fair\r\nDTSTART;VALUE=DATE:20261128\r\nBEGIN:VALARM\r\nSUMMARY:Alarm\r\nDTSTART:20200101\r\nEND:VALARM\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nLOCATION:another\r\nEND:VEVENT\r\nEND:VCALENDAR',
    {
      type: 'event',
      title: 'Fair',
      start: { at: Date.UTC(2026, 10, 28), isDay: true, zone: '' },
      end: undefined,
      location: '',
      description: '',
      url: '',
    },
  ],
  ['BEGIN:VEVENT\nSUMMARY:never\nDTSTART:20260231T100000\nEND:VEVENT', { type: 'text' }],
  ['BEGIN:VEVENT\nSUMMARY:no start\nEND:VEVENT', { type: 'text' }],
  ['BEGIN:VCALENDAR\nEND:VCALENDAR', { type: 'text' }],
  ['geo:30.2426,120.1494', { type: 'place', latitude: 30.2426, longitude: 120.1494, name: '' }],
  [
    'GEO:-33.9,18.4,100;u=35?q=-33.9,18.4(Cape%20Town)',
    { type: 'place', latitude: -33.9, longitude: 18.4, name: 'Cape Town' },
  ],
  ['geo:0,0?q=1+Main+St', { type: 'place', latitude: 0, longitude: 0, name: '1 Main St' }],
  ['geo:91,0', { type: 'text' }],
  ['geo:1,2"><script>', { type: 'text' }],
  [
    'smsto:+8613800138000:Hello: you',
    { type: 'sms', number: '+8613800138000', body: 'Hello: you', href: 'sms:+8613800138000?body=Hello%3A%20you' },
  ],
  [
    'sms:+1 510-555?body=1%2B1+2',
    { type: 'sms', number: '+1 510-555', body: '1+1+2', href: 'sms:+1510555?body=1%2B1%2B2' },
  ],
  ['SMSTO:10086', { type: 'sms', number: '10086', body: '', href: 'sms:10086' }],
  ['sms:', { type: 'text' }],
  ['sms:1<2>:x', { type: 'text' }],
  ['tel:+86 138-0013-8000', { type: 'phone', number: '+86 138-0013-8000', href: 'tel:+86 138-0013-8000' }],
  ['+86 138 0013 8000', { type: 'phone', number: '+86 138 0013 8000', href: 'tel:+8613800138000' }],
  ['tel:1;javascript:alert(1)', { type: 'text' }],
  ['mei@example.org', { type: 'mail', to: 'mei@example.org', subject: '', body: '', href: 'mailto:mei@example.org' }],
  [
    'mailto:mei@example.org?Subject=a%26b&body=x%0Ay',
    {
      type: 'mail',
      to: 'mei@example.org',
      subject: 'a&b',
      body: 'x\ny',
      href: 'mailto:mei@example.org?Subject=a%26b&body=x%0Ay',
    },
  ],
  [
    'MATMSG:TO:mei@example.org;SUB:Hi;BODY:a\\;b;;',
    {
      type: 'mail',
      to: 'mei@example.org',
      subject: 'Hi',
      body: 'a;b',
      href: 'mailto:mei@example.org?subject=Hi&body=a%3Bb',
    },
  ],
  [
    'SMTP:mei@example.org:Hi:a:b',
    {
      type: 'mail',
      to: 'mei@example.org',
      subject: 'Hi',
      body: 'a:b',
      href: 'mailto:mei@example.org?subject=Hi&body=a%3Ab',
    },
  ],
  ['MATMSG:TO:x?cc=all;SUB:Hi;;', { type: 'text' }],
  ['mailto:%ff@example.org', { type: 'text' }],
  ['', { type: 'text' }],
  ['see https://example.com', { type: 'text' }],
  ['https://', { type: 'text' }],
  ['https://example.com/ is our menu', { type: 'text' }],
  ['https://example.com/menu\nTable 12', { type: 'text' }],
  ['https://example.com/\tmenu', { type: 'text' }],
  ['https:///example.com', { type: 'text' }],
  ['ftp://example.com', { type: 'text' }],
]

describe('readContent', () => {
  for (const [content, read] of TABLE)
    test(`the content ${JSON.stringify(content.slice(0, 80))} is read as ${(read as QrContent).type}`, () => {
      expect(readContent(`  ${content}\n`) as object).toEqual(read)
    })

  test('a web address is read with its host, and no other scheme is one', () => {
    const read = readContent(' HTTPS://EXAMPLE.com/Ä?x=1 ')
    expect(read.type === 'url' && [read.url.host, read.url.href]).toEqual([
      'example.com',
      'https://example.com/%C3%84?x=1',
    ])
    for (const text of [
      'javascript:alert(1)',
      'java\tscript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'intent://x#Intent;end',
    ])
      expect(readContent(text), text).toEqual({ type: 'text' })
  })

  test('hostile contents are read without an error, and the effort grows with their length only', () => {
    const starts = [
      'WIFI:S:',
      'WIFI:',
      'MECARD:N:',
      'BEGIN:VCARD\nFN',
      'BEGIN:VCARD\nN;ENCODING=QUOTED-PRINTABLE:',
      'BEGIN:VEVENT\nDTSTART:',
      'geo:1,',
      'geo:1,2?q=',
      'smsto:',
      'sms:?',
      'mailto:',
      'MATMSG:TO:',
      'SMTP:',
      'tel:',
      '+',
      'https:',
      '',
    ]
    const parts = [
      '\\',
      ';',
      ':',
      '"',
      '"a',
      '=',
      '=E',
      '%',
      '%ff',
      '\n ',
      '\n',
      '\r',
      '\nBEGIN:VEVENT',
      '\nEND:VEVENT',
      ';a="',
      'a.',
      '1',
      ' .-(',
      '\ud800',
      '😀',
      '\0',
      '@',
      'a@',
      '?&body=',
      '<script>',
    ]
    // Quadratic regular expressions over 100,000 characters would take minutes.
    for (const start of starts)
      for (const part of parts)
        for (const length of [1, 40, 3900]) {
          const content = (start + part.repeat(length)).slice(0, 3990)
          expect(() => [
            readContent(content),
            contactFile(content),
            eventFile(content, { uid: 'u', writtenAt: 0 }),
          ]).not.toThrow()
        }
    expect(readContent(`WIFI:S:${'a'.repeat(100_000)};;`)).toEqual({ type: 'text' })
  })
})

describe('files of contents', () => {
  test('a complete vCard stays as it is, with the line breaks that phones expect', () => {
    expect(contactFile(' BEGIN:VCARD\nFN:Ada\nX-NICK:a\nEND:VCARD ')).toBe(
      'BEGIN:VCARD\r\nFN:Ada\r\nX-NICK:a\r\nEND:VCARD\r\n',
    )
    expect(contactFile('BEGIN:VCARD\nFN:Ada')).toContain('END:VCARD\r\n')
    for (const content of ['WIFI:S:a;;', 'https://example.org', 'BEGIN:VCARD'])
      expect(contactFile(content)).toBeUndefined()
  })

  test('a MECARD becomes a vCard that reads back as the same contact, and no value adds a property', () => {
    const content = `MECARD:N:Lovelace,Ada;TEL:+44;EMAIL:a@b.org;ADR:1 Main St\\; rear;NOTE:${'梅'.repeat(60)}\nTEL:666\nEND:VCARD;;`
    const file = contactFile(content)!
    for (const line of file.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    expect(file.match(/^TEL/gm)).toHaveLength(1)
    expect(file.match(/^END:VCARD/gm)).toHaveLength(1)
    const read = readContent(file)
    expect(read).toEqual(readContent(content))
  })

  test('only the first vCard of a content is shown and saved', () => {
    const two =
      'BEGIN:VCARD\nFN:Ada\nTEL:1\nURL:https://example.org/?a=\nEMAIL:a@b.org\nEND:VCARD\nBEGIN:VCARD\nFN:Bank\nTEL:666\nEND:VCARD'
    expect(contactFile(two)).toBe(
      'BEGIN:VCARD\r\nFN:Ada\r\nTEL:1\r\nURL:https://example.org/?a=\r\nEMAIL:a@b.org\r\nEND:VCARD\r\n',
    )
    expect(readContent(two)).toMatchObject({ phones: ['1'], emails: ['a@b.org'] })
    // A card inside another one, and one whose first line is folded.
    for (const between of ['AGENT:BEGIN:VCARD', 'BEGIN:VCARD', 'BEGIN:VC\r\n ARD']) {
      const file = contactFile(`BEGIN:VCARD\nFN:Ada\n${between}\nTEL:666\nEND:VCARD\nEND:VCARD`)!
      expect(file.match(/VCARD/g)).toHaveLength(2)
    }
    expect(contactFile('BEGIN:VCARD\nFN:Ada\nEND:VC\n ARD\nTEL:666\nEND:VCARD')).not.toContain('666')
  })

  test('an event becomes a calendar with one event, which says what pages show of it and nothing else', () => {
    const about = { uid: 'abc@tessera', writtenAt: Date.UTC(2026, 0, 2, 3, 4, 5) }
    const hidden =
      'UID:other\nDTSTAMP:20200101T000000Z\nRRULE:FREQ=DAILY\nATTENDEE:mailto:a@b.org\nATTACH:https://example.org/a\nX-A:1\nSUMMARY:second'
    const file = eventFile(
      `BEGIN:VEVENT\nSUMMARY;ALTREP="https://example.org":Tea\\, cake\nDTSTART;TZID="Europe/Berlin":20261128T140000\nDURATION:PT1H30M\nURL:https://example.org/?a=1,2\nBEGIN:VALARM\nTRIGGER:-PT5M\nEND:VALARM\n${hidden}`,
      about,
    )!
    expect(file.split('\r\n')).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Tessera//QR code//EN',
      'BEGIN:VEVENT',
      'UID:abc@tessera',
      'DTSTAMP:20260102T030405Z',
      'DTSTART;TZID=Europe/Berlin:20261128T140000',
      'DTEND;TZID=Europe/Berlin:20261128T153000',
      'SUMMARY:Tea\\, cake',
      'URL:https://example.org/?a=1,2',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ])
    expect(eventFile('https://example.org', about)).toBeUndefined()
  })

  test('the file of an event reads back as the same event, and no value adds a property', () => {
    for (const content of [
      'BEGIN:VEVENT\nSUMMARY:a\\nUID:b\nDTSTART:20261128T140000Z\nDTEND:20261128T153000Z\nLOCATION:1\\; 2\nDESCRIPTION:x\\\\y\\nEND:VEVENT\\nz\nEND:VEVENT',
      `BEGIN:VEVENT\nDTSTART;VALUE=DATE:20261128\nDURATION:P1W\nDESCRIPTION:${'梅'.repeat(60)}\nEND:VEVENT`,
      'BEGIN:VEVENT\nDTSTART;TZID="a:b;c":20261128T140000\nSUMMARY:zone\nEND:VEVENT',
    ]) {
      const file = eventFile(content, { uid: 'u', writtenAt: 0 })!
      expect(readContent(file)).toEqual(readContent(content))
      expect(file.match(/^(?:UID|END:VEVENT)/gm)).toHaveLength(2)
    }
    const link = 'BEGIN:VEVENT\nDTSTART:20261128\nURL:https://example.org/\\nATTENDEE:x\nEND:VEVENT'
    expect(eventFile(link, { uid: 'u', writtenAt: 0 })).not.toContain('ATTENDEE')
  })
})

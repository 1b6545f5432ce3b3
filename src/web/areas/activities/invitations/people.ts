/** People in lines that somebody has typed or pasted. Pure. */

/** Also what the server will refuse. */
const ADDRESS = /[^\s<>;,"'()：；，]*@[^\s<>;,"'()；，]*/

export interface Person {
  readonly email: string | null
  readonly name: string | null
}

/** `lin@example.org`, `Lin Mei <lin@example.org>`, `Lin Mei; lin@example.org`, or a name. Several addresses on a line are several people. */
export function peopleOf(lines: string): Person[] {
  return lines.split('\n').flatMap((line) => {
    const parts = line.split(/[,;，；](?=.*@)/).map((text) => text.trim())
    const addresses = parts.filter((text) => ADDRESS.test(text))
    return addresses.length > 1 ? addresses.map(personIn) : line.trim() === '' ? [] : [personIn(line)]
  })
}

function personIn(text: string): Person {
  const email = ADDRESS.exec(text)?.[0] ?? null
  const name = (email === null ? text : text.replace(email, ''))
    .replace(/[<>"\t;；,，()]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return { email, name: name || null }
}

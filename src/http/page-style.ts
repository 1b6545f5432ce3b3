/** The style sheet of the HTML pages. It is written into each page and allowed there by its hash, so no other style applies. */

import { rawHtml } from '#lib/html.ts'

export const STYLE = `
:root{color-scheme:light dark;--ground:#f4f5f2;--paper:#fff;--ink:#17201d;--soft:#5a6762;--line:#dfe4e0;--accent:#0b6b57;--on-accent:#fff;--tint:#e6f1ed;--bad:#a4262c;--bad-tint:#fbebeb;--shadow:0 1px 2px rgba(16,32,27,.06),0 8px 24px rgba(16,32,27,.06)}
@media(prefers-color-scheme:dark){:root{--ground:#101513;--paper:#181f1c;--ink:#e8eeeb;--soft:#9dada6;--line:#2b3531;--accent:#5fcdb0;--on-accent:#07231c;--tint:#1b2d27;--bad:#ff9a96;--bad-tint:#33201f;--shadow:none}}
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;background:var(--ground);color:var(--ink);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"PingFang SC","Hiragino Sans GB","Noto Sans CJK SC","Noto Sans SC","Microsoft YaHei",sans-serif}
header,main,footer{width:100%;max-width:34rem;margin:0 auto;padding:0 1.25rem}
header{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.5rem 1rem;padding-top:1.5rem;padding-bottom:1rem}
.languages{display:flex;gap:.25rem;font-size:.875rem}
.languages>*{padding:.25rem .625rem;border-radius:.5rem}
.languages [aria-current]{background:var(--tint);font-weight:600}
.brand{display:inline-flex;align-items:center;gap:.6rem;font-weight:650;letter-spacing:.01em;color:var(--ink);text-decoration:none}
.brand svg,.brand img{flex:none;width:1.5rem;height:1.5rem;color:var(--accent)}
.brand img{width:auto;max-width:8rem;object-fit:contain}
main{flex:1}
footer{padding-top:1.5rem;padding-bottom:1.75rem;color:var(--soft);font-size:.8125rem}
footer a{color:inherit}
h1,h2{line-height:1.3;text-wrap:balance;overflow-wrap:anywhere}
h1{margin:0 0 .875rem;font-size:1.5rem;font-weight:650;letter-spacing:-.01em}
h2{margin:0 0 .75rem;font-size:1.0625rem;font-weight:650}
p{margin:0 0 1rem;overflow-wrap:anywhere}
p:last-child{margin-bottom:0}
a{color:var(--accent);text-underline-offset:.15em}
code{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.soft{color:var(--soft)}
.card{margin:0 0 1rem;padding:1.5rem 1.25rem;background:var(--paper);border:1px solid var(--line);border-radius:1rem;box-shadow:var(--shadow)}
.text{white-space:pre-wrap;overflow-wrap:anywhere}
.prose{margin-top:1.5rem;overflow-wrap:anywhere}
.prose h1,.prose h2,.prose h3,.prose h4,.prose h5,.prose h6{margin:1.75rem 0 .625rem;font-size:1rem;font-weight:650;line-height:1.35}
.prose h1{font-size:1.25rem}
.prose h2{font-size:1.125rem}
.prose>:first-child{margin-top:0}
.prose ul,.prose ol,.prose blockquote,.prose pre,.prose table{margin:0 0 1rem}
.prose ul,.prose ol{padding-left:1.5rem}
.prose li>ul,.prose li>ol{margin-bottom:0}
.prose li+li{margin-top:.25rem}
.prose blockquote{padding-left:1rem;border-left:3px solid var(--line);color:var(--soft)}
.prose pre{padding:.75rem 1rem;overflow-x:auto;background:var(--ground);border-radius:.625rem}
.prose pre code{overflow-wrap:normal}
.prose table{display:block;overflow-x:auto;border-collapse:collapse;overflow-wrap:normal;font-size:.9375rem}
.prose th,.prose td{padding:.375rem .75rem;border:1px solid var(--line);vertical-align:top}
.prose th{text-align:left;background:var(--ground)}
.prose img{max-width:100%;height:auto}
.prose hr{margin:1.75rem 0;border:0;border-top:1px solid var(--line)}
.prose>:last-child{margin-bottom:0}
.facts{margin:0 0 1.25rem;display:grid;grid-template-columns:minmax(5rem,auto) 1fr;gap:.5rem 1rem}
.facts:last-child{margin-bottom:0}
.facts dt{color:var(--soft)}
.facts dd{margin:0;overflow-wrap:anywhere}
.qr{display:block;width:100%;max-width:20rem;height:auto;aspect-ratio:1;margin:0 auto 1.25rem;border:1px solid var(--line);border-radius:.75rem;image-rendering:pixelated}
.qr.square{border-radius:0}
.small .qr{max-width:11rem}
.centered{text-align:center}
.notice{margin:0 0 1rem;padding:.75rem 1rem;border-radius:.75rem;background:var(--tint)}
.notice.bad{background:var(--bad-tint);color:var(--bad)}
.field{margin:0 0 1.125rem}
.field label{display:block;margin-bottom:.35rem;font-weight:550;font-size:.9375rem}
.field input,.field textarea,.field select{width:100%;min-height:3rem;padding:.625rem .875rem;font:inherit;color:inherit;background:var(--ground);border:1px solid var(--line);border-radius:.625rem}
.field textarea{min-height:6rem}
.field [aria-invalid=true]{border-color:var(--bad)}
.hint{margin:.35rem 0 0;color:var(--soft);font-size:.8125rem}
.hint.bad{color:var(--bad)}
.text:not(:last-child){margin-bottom:1rem}
.button{display:block;width:100%;min-height:3rem;padding:.6875rem 1.25rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;color:var(--on-accent);background:var(--accent);border:1px solid transparent;border-radius:.625rem}
.button.plain{color:var(--accent);background:transparent;border-color:var(--line)}
.button:hover{filter:brightness(1.06)}
.button+.button,.row+.button,.button+.row,form+.button,.button+form{margin-top:.75rem}
.button+[role=alert]{margin-top:1.25rem}
.row{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:.75rem}
.row .button{margin:0}
.copyable{display:inline-block;max-width:100%;margin-right:.5rem;padding:.25rem .5rem;background:var(--ground);border-radius:.375rem;font-size:1rem;white-space:pre-wrap;-webkit-user-select:all;user-select:all}
.copy{min-height:2.25rem;margin:.125rem 0;padding:.25rem .75rem;font:inherit;font-size:.875rem;font-weight:600;cursor:pointer;color:var(--accent);background:transparent;border:1px solid var(--line);border-radius:.5rem}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.cover{display:block;width:100%;aspect-ratio:16/9;object-fit:cover;margin:0 0 1.25rem;border-radius:.75rem;background:var(--tint)}
body:has(.event)>*{max-width:46rem}
.event .cover{width:calc(100% + 2.5rem);max-width:none;margin:-1.5rem -1.25rem 1.25rem;aspect-ratio:2/1;border-radius:.9375rem .9375rem 0 0}
.dated{display:flex;gap:1rem;align-items:flex-start;margin:0 0 1.25rem}
.dated h1{margin:0}
.tile{flex:none;width:3.75rem;overflow:hidden;border:1px solid var(--line);border-radius:.625rem;font-size:.75rem;line-height:1.6;text-align:center}
.tile *{display:block}
.tile :first-child{color:var(--on-accent);background:var(--accent)}
.tile b{font-size:1.5rem;line-height:1.2}
.by{display:flex;gap:.5rem;align-items:center}
.by :first-child{flex:none;width:1.75rem;height:1.75rem;object-fit:cover;border-radius:50%}
.by span{display:grid;place-items:center;color:var(--accent);background:var(--tint);font-size:.875rem;font-weight:600}
h2+.prose{margin-top:0}
.lead{font-size:1.125rem;font-weight:550}
.enter{margin:1.5rem 0}
div.screen{margin:0 0 1.5rem}
.enter p{margin:0}
.host{margin-bottom:.25rem;overflow-wrap:anywhere}
.facts .text{margin:0}
.text+.button{margin-top:1.25rem}
.poster .qr,.ticket .qr{max-width:26rem}
.kiosk .qr{max-width:min(90vw,62vh)}
main:has(.kiosk){max-width:none}
.clock{margin:0 0 .75rem;font-size:2.5rem;font-weight:650;line-height:1.1;font-variant-numeric:tabular-nums}
.spent .qr{max-width:13rem}
.stripe{display:block;width:100%;height:.75rem;margin:0 0 1rem;border-radius:.375rem}
.state{margin:0 0 1.25rem;padding:.875rem 1rem;border-radius:.75rem;background:var(--tint);color:var(--accent);text-align:center}
.state b{display:block;font-size:1.25rem;line-height:1.3}
.state.bad{background:var(--bad);color:var(--paper)}
.state.bad b{font-size:1.75rem}
.void{display:block;width:9rem;height:9rem;margin:0 auto 1.25rem;color:var(--bad)}
.name{margin:0 0 .25rem;font-size:1.75rem;font-weight:650;line-height:1.25;text-align:center;overflow-wrap:anywhere}
.name+p{text-align:center}
.lonely{padding-top:12vh}
.hero{padding:1.5rem 0 1.75rem}
.hero h1{font-size:2rem;margin-bottom:.625rem}
.sheet{display:block;flex:none;width:9rem;margin-top:1.25rem;fill:currentColor;color:var(--accent)}
.sheet .paper{fill:var(--paper);stroke:var(--line)}
.steps{margin:0 0 1.5rem;padding-left:1.25rem}
.steps li+li{margin-top:.75rem}
.links{margin:0;padding:0;list-style:none}
.links a{display:block;padding:.625rem 0}
.links li+li{border-top:1px solid var(--line)}
.fold{border-top:1px solid var(--line)}
.fold summary{padding:.625rem 0;cursor:pointer;overflow-wrap:anywhere}
.fold pre{margin:0 0 1rem;white-space:pre-wrap;overflow-wrap:anywhere;font:.8125rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.talk{margin:0;padding:0;list-style:none}
.talk li{max-width:85%;width:fit-content;margin:0 0 .75rem;padding:.625rem .875rem;border-radius:.875rem;background:var(--ground)}
.talk li.mine{margin-left:auto;background:var(--tint)}
.talk p{margin:0}
.talk .soft{font-size:.8125rem}
.number{margin:0 0 .25rem;color:var(--accent);font-size:.875rem;font-weight:600;letter-spacing:.08em}
.guide{margin:0;padding-left:1.25rem}
.guide>li{margin-top:1.25rem}
.guide pre{margin:.5rem 0 0;padding:.625rem .875rem;overflow-x:auto;background:var(--ground);border-radius:.625rem}
.shot{display:block;width:100%;max-width:17rem;margin:.75rem 0;font-size:11px;fill:currentColor}
.shot .frame{fill:var(--ground);stroke:var(--line)}
.shot .row{fill:var(--paper);stroke:var(--line)}
.shot .marked{fill:var(--tint);stroke:var(--accent);stroke-width:2}
.shot .sign{fill:var(--accent)}
.print{font:1.0625rem/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:normal}
@media(min-width:40rem){.event .cover{width:calc(100% + 4rem);margin:-2rem -2rem 1.5rem;aspect-ratio:5/2}header{padding-top:2.5rem}.card{padding:2rem}.hero{display:flex;gap:1.5rem;align-items:center;padding-top:.5rem}.sheet{margin:0}.links{display:flex;flex-wrap:wrap;column-gap:2rem}.links li+li{border:0}}
@media print{:root{color-scheme:light;--ground:#fff;--paper:#fff;--ink:#000;--soft:#444;--line:#bbb;--accent:#0b6b57;--tint:#fff;--bad:#a4262c;--bad-tint:#fff;--shadow:none}header,footer,.button,.copy,.card:has(>.row),.screen{display:none}body{min-height:0}main{max-width:none;padding:0}.card{margin:0 0 1rem;border:0;box-shadow:none;padding:0;break-inside:avoid}.card:last-child{margin:0}.state,.notice{border:2px solid currentColor}.small .qr{max-width:20rem}.poster .qr{max-width:15cm}.ticket .qr{max-width:min(9cm,60vw)}.event .cover{width:100%;max-height:6cm;margin:0 0 1rem}}
@media print and (max-width:11cm){html{font-size:9.5px}body{font-size:1rem;line-height:1.35}h1{margin-bottom:.5rem;font-size:1.375rem}.poster .qr{max-width:6.25cm}.ticket .qr{max-width:4.5cm}.qr{margin-bottom:.5rem}.state,.facts{margin-bottom:.75rem;gap:.125rem 1rem}.state{padding:.375rem}}
`.trim()

/** The backgrounds of the style sheet, for the bars of browsers. */
export const THEME_COLORS = { light: '#f4f5f2', dark: '#101513' } as const

/** The logo: a finder pattern of a QR code made of tiles. */
export const MARK_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true"><rect x="2" y="2" width="8.5" height="8.5" rx="2.5" fill="none" stroke="currentColor" stroke-width="2"/><rect x="4.75" y="4.75" width="3" height="3" rx=".75"/><rect x="13" y="1" width="10.5" height="10.5" rx="3" opacity=".35"/><rect x="1" y="13" width="10.5" height="10.5" rx="3" opacity=".35"/><rect x="13" y="13" width="4.75" height="4.75" rx="1.25"/><rect x="18.75" y="18.75" width="4.75" height="4.75" rx="1.25"/></svg>'

export const MARK = rawHtml(MARK_SVG)

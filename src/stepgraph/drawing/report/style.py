"""How a report looks: on light, dark and printed paper, on wide and narrow screens."""

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #16191d; --faint: #4d5762;
  --line: #c9d1d9; --soft: #f3f6f9; --link: #00568a; --bad: #a33c00; --bad-soft: #fdeee4; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171a; --ink: #f1f3f5;
  --faint: #b3bdc7; --line: #414b55; --soft: #20262c; --link: #8accf5; --bad: #ffb07a;
  --bad-soft: #38261a; } }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, "Segoe UI", sans-serif; color: var(--ink);
  background: var(--paper); max-width: 70rem; margin: 0 auto; padding: 1rem;
  overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; padding: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
dt { color: var(--faint); } dd { margin: 0; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; margin: .75rem 0; }
.wide svg { display: block; margin: 0 auto; }
.wide pre { margin: 1rem; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--faint); padding: .5rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem;
  border-bottom: 1px solid var(--line); }
th[scope=row] { width: 30%; min-width: 7rem; overflow-wrap: anywhere; }
td ul { margin: 0; padding-left: 1.1rem; }
td.figure, th.figure { text-align: right; font-variant-numeric: tabular-nums;
  overflow-wrap: normal; }
td.figure .facts { white-space: nowrap; }
.mark { border: 1px solid var(--faint); border-radius: 99px; padding: 0 .5rem;
  font-size: .8rem; white-space: nowrap; }
.facts { color: var(--faint); font-size: .9rem; font-weight: normal; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; }
summary { cursor: pointer; padding: .5rem .75rem; }
details p { margin: .5rem .75rem; }
details ol, details ul { margin: .25rem 0 .75rem; }
li.deviates { background: var(--bad-soft); border-left: 4px dashed var(--bad);
  padding-left: .4rem; margin: .15rem 0; }
li.mistake { border-left-style: solid; }
.verdict { font-weight: 600; color: var(--bad); }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; }
  th, td { padding: .3rem; } td.figure .facts { font-size: .75rem; } }
/* Charts have one set of colours; turned over, they keep their hues. */
@media screen and (prefers-color-scheme: dark) {
  .chart svg { filter: invert(.92) hue-rotate(180deg); } }
@media print { :root { color-scheme: light; --paper: #fff; --ink: #000; --faint: #333;
  --line: #999; --soft: #fff; --link: #000; --bad: #8a3200; --bad-soft: #fff; }
  body { max-width: none; padding: 0; } nav, .skip { display: none; }
  .wide { overflow: visible; border: 0; } .wide svg { max-width: 100%; height: auto; }
  details::details-content { content-visibility: visible; block-size: auto; }
  tr, li { break-inside: avoid; } }
"""

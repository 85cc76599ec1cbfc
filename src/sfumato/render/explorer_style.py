"""How the explorer looks: settings beside results on a desk, above them on a phone."""

from __future__ import annotations

EXPLORER_STYLE = """
body{max-width:80rem}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.bench{display:grid;gap:1.5rem 2.5rem;grid-template-columns:minmax(0,1fr)}
@media (min-width:60rem){.bench{grid-template-columns:21rem minmax(0,1fr)}
.controls{position:sticky;top:1rem;max-height:calc(100vh - 2rem);overflow-y:auto;align-self:start}}
.controls{background:var(--pane);border-radius:8px;padding:.4rem 1.1rem .8rem}
fieldset{border:0;margin:.7rem 0;padding:0;min-width:0}legend{font-weight:600;padding:0}
.hint{color:var(--soft);font-size:.86rem;margin:.1rem 0}
.control{display:grid;grid-template-columns:minmax(0,1fr) 7rem;gap:.15rem .6rem;align-items:center;margin:.55rem 0}
.control[hidden]{display:none}
.control input[type=range]{grid-column:1/-1;width:100%;min-height:24px;margin:0;accent-color:var(--mark)}
.control small{grid-column:1/-1;color:var(--soft);display:none}
.control:focus-within small{display:block}
.control input[type=number],button{font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--soft);
border-radius:4px;padding:.25rem .45rem;min-height:2rem}
.control input[type=number]{text-align:right;font-variant-numeric:tabular-nums;width:100%}
.control input[aria-invalid=true]{border:2px solid var(--warn)}
input:focus-visible,button:focus-visible{outline:3px solid var(--mark);outline-offset:2px}
button{cursor:pointer;padding:.3rem .8rem}
.results>section:first-child h2{margin-top:0}
.tiles{list-style:none;padding:0;margin:.8rem 0 0;display:grid;gap:.8rem;
grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr))}
.tiles li{background:var(--pane);border-radius:8px;padding:.8rem 1rem;font-size:.93rem}
.tiles strong{display:block;font-size:1.65rem;line-height:1.25;color:var(--mark);font-variant-numeric:tabular-nums}
.words p{margin:.3rem 0}
.seen{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;margin:.6rem 0}.seen[hidden]{display:none}
.seen label{display:inline-flex;align-items:center;gap:.35rem;min-height:24px}
.seen input{accent-color:var(--mark);width:1.1rem;height:1.1rem;margin:0}
#numbers small{display:block;font-weight:400;color:var(--soft);max-width:26rem}
#glance{display:none}
@media (max-width:59.99rem){html{scroll-padding-bottom:5rem}
#glance{display:grid;grid-template-columns:repeat(4,auto);justify-content:space-between;position:sticky;bottom:0;
margin:.6rem -1.1rem -.8rem;padding:.4rem 1.1rem .5rem;background:var(--mark);color:var(--paper);font-weight:600;
font-variant-numeric:tabular-nums;border-radius:0 0 8px 8px}
#glance small{display:block;font-weight:400;line-height:1.2}}
@media (max-width:40rem){#numbers tr{display:flex;flex-wrap:wrap;border-bottom:1px solid var(--line);padding:.45rem 0}
#numbers th,#numbers td{border:0;padding:.1rem}#numbers [role=rowheader]{flex:0 0 100%}
#numbers thead th:first-child{display:none}
#numbers thead{position:sticky;top:0;background:var(--paper)}
#numbers .number{flex:1 1 0;min-width:0;white-space:normal;font-size:.8rem;overflow-wrap:anywhere}}
svg.chart{display:block;max-width:100%;height:auto;font:13px system-ui,sans-serif}
svg.chart text{fill:var(--ink)}svg.chart .soft{fill:var(--soft)}svg.chart .strong{font-weight:600}
svg.chart .halo{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}
svg.chart .cell{fill:var(--mark)}svg.chart .pale{fill-opacity:.55}
svg.chart .slip{fill:var(--paper);fill-opacity:.88}svg.chart .on{fill:var(--paper)}svg.chart .off{fill:var(--ink)}
svg.chart .grid{stroke:var(--line)}svg.chart .axis{stroke:var(--soft)}
svg.chart .goal{fill:var(--s2);fill-opacity:.14}svg.chart .now{fill:var(--ink);fill-opacity:.75}
svg.chart .bare{fill:var(--mark)}svg.chart .curve{fill:none;stroke:var(--mark);stroke-width:2.5px}
svg.chart .enough{fill:var(--s2)}svg.chart .few{fill:var(--s1)}svg.chart .plain{fill:var(--soft)}
svg.chart .dot{stroke:var(--paper);stroke-width:2px}
@media print{.controls button{display:none}}
"""

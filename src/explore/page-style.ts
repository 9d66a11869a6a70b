/** What the page of a report has beside the dashboard's own style, in its colours. */
export const STYLE = `
html, body.explored { height: auto; min-height: 100%; overflow: visible; }
.explored > header { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: baseline; padding: 12px 16px; background: var(--sunken); border-bottom: 1px solid var(--line); }
.explored > header h1 { font-size: 15px; } .explored > header span, .explored > header p { color: var(--text-soft); font-weight: 400; }
.explored code, .explored pre { font: 12px/18px var(--mono); }
.find-grid { display: grid; grid-template-columns: 256px minmax(0, 1fr); }
.find-grid nav { border-right: 1px solid var(--line); }
.find-grid nav h2 { padding: 10px 16px 4px; color: var(--text-soft); font-size: 12px; font-weight: 400; }
.find-grid nav ul { list-style: none; } .find-grid nav p { padding: 0 16px 16px; color: var(--text-soft); font-size: 12px; }
.find-grid nav a { display: block; padding: 10px 16px; border-bottom: 1px solid var(--line); color: var(--text); font-weight: 500; text-decoration: none; overflow-wrap: anywhere; }
.find-grid nav a:hover { background: var(--hover); } .find-grid nav small { display: block; color: var(--text-soft); font-size: 12px; font-weight: 400; }
.explored article { border-bottom: 8px solid var(--sunken); }
.explored article > header { padding: 18px 16px 16px; border-bottom: 1px solid var(--line); }
.explored article h2 { max-width: 72ch; font-size: 20px; line-height: 28px; overflow-wrap: anywhere; text-wrap: balance; }
.about { display: flex; flex-wrap: wrap; gap: 6px 16px; margin-bottom: 8px; color: var(--text-soft); }
.explored section { padding: 14px 16px; min-width: 0; } .explored section h3 { margin: 0 0 8px; font-size: 13px; } .explored pre + h3 { margin-top: 14px !important; }
.halves { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); border-bottom: 1px solid var(--line); } .halves section + section { border-left: 1px solid var(--line); }
.entries { display: grid; gap: 8px; list-style: none; } .entries li { display: grid; grid-template-columns: 22px minmax(0, 1fr); gap: 8px; } .entries code, .entries small { color: var(--text-soft); font-size: 12px; overflow-wrap: anywhere; }
.sign { position: relative; isolation: isolate; display: grid; place-items: center; width: 20px; height: 20px; color: light-dark(#fff, #241a06); font-size: 11px; font-weight: 700; line-height: 20px; }
.sign::before { position: absolute; inset: 3px; z-index: -1; border-radius: 2px; background: var(--wait); content: ""; rotate: 45deg; }
.explored .lanes { --label: 208px; } .explored .track-name { max-width: 124px; }
.bar:has(.sign) .bar-text { padding-left: 14px; }
.bar .sign { position: absolute; top: 0; left: -10px; z-index: 3; } .explored .bar { cursor: default; }
.bar[data-late] .bar-note { left: auto; right: calc(100% + 12px); }
.drawn { border-bottom: 1px solid var(--line); } .drawn .lanes { margin: 0; }
.explored pre { padding: 8px 12px; border: 1px solid var(--line); border-radius: var(--radius); background: var(--sunken); overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.explored summary { cursor: pointer; font-weight: 600; margin-bottom: 8px; }
.explored table { width: 100%; border-collapse: collapse; } .explored table th, .explored table td { height: 30px; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); text-align: start; overflow-wrap: anywhere; font-weight: 400; }
.explored thead th { color: var(--text-soft); font-size: 12px; } .explored mark { padding: 0 3px; border-radius: 3px; background: var(--bad-fill); color: var(--bad); }
.pairs { padding: 0 !important; border-bottom: 1px solid var(--line); } .pairs small { display: block; color: var(--text-soft); font-size: 12px; }
.copied { display: flex; justify-content: space-between; align-items: center; margin-bottom: 8px; } .explored .copied h3 { margin: 0; }
.copies { padding: 4px 12px; border: 1px solid var(--line); border-radius: var(--radius); background: none; color: var(--text); font: inherit; font-size: 12px; cursor: pointer; } .copies:hover { background: var(--hover); }
.counts table { max-width: 480px; }
@media (max-width: 1020px) { .find-grid, .halves { grid-template-columns: minmax(0, 1fr); } .find-grid nav { border-right: 0; } .halves section + section { border-left: 0; border-top: 1px solid var(--line); } }
@media (max-width: 720px) { .explored .lanes { --label: 116px; } .explored .track-name { max-width: 64px; } .axis span:not([data-first], [data-last]) { display: none; } .lane-name { font-size: 12px; } .bar:not([data-look="money"]) .bar-text { display: none; } }
`;

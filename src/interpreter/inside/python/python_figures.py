"""Interactive figures of Plotly, Bokeh and Altair as HTML that needs no network.

Their browser code lies in their own packages; it goes out once in each process, and figures name
it by its digest. Loaded by our launcher inside the user's Python; a library that is not imported
costs nothing.
"""

# mypy: allow-untyped-calls
from __future__ import annotations

import base64
import hashlib
import importlib.machinery
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

LIBRARY = "application/vnd.reploop.library"
HEIGHT = 450  # pixels, of figures that name none

Bundle = dict[str, Any]


class AfterImport(MetaPathFinder):
    """Calls a function with a module, right after that was imported for the first time."""

    def __init__(self, hooks: dict[str, Callable[[ModuleType], None]]) -> None:
        self._hooks = hooks

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        hook = self._hooks.get(name)
        spec = importlib.machinery.PathFinder.find_spec(name, path) if hook else None
        if hook is None or spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def and_then(module: ModuleType) -> None:
            execute(module)
            try:
                hook(module)
            except Exception as error:  # noqa: BLE001  (a version that we do not know)
                sys.stderr.write(f"(figures of {name} are shown as it does it itself: {error})\n")

        vars(spec.loader)["exec_module"] = and_then
        return spec


class Figures:
    """Makes bundles of figures and publishes them."""

    def __init__(self, publish: Callable[[Bundle], None]) -> None:
        self._publish = publish
        self._libraries: dict[str, str] = {}

    def bundle(self, words: str, page: str, library: Callable[[], str]) -> Bundle:
        """A figure as words and as HTML; with the browser code, where that was not sent yet."""
        name = library.__name__
        made: Bundle = {"text/plain": words}
        if name not in self._libraries:
            data = library().encode()
            self._libraries[name] = hashlib.sha256(data).hexdigest()
            made[LIBRARY] = base64.b64encode(data).decode("ascii")
        head = f'<script data-library="{self._libraries[name]}"></script>'
        made["text/html"] = head + page
        return made

    def show(self, words: str, page: str, library: Callable[[], str]) -> None:
        self._publish(self.bundle(words, page, library))

    # Plotly: its own list of renderers gets one more, which is the default.

    def offer_to_plotly(self, renderers: ModuleType) -> None:
        from plotly.io import base_renderers, to_html  # noqa: PLC0415  (the user's, if there)

        figures = self

        class Renderer(base_renderers.ExternalRenderer):  # type: ignore[misc]
            def render(self, fig: Bundle) -> None:
                options = {"include_plotlyjs": False, "full_html": False}
                height = fig.get("layout", {}).get("height") or HEIGHT
                page = to_html(fig, **options, validate=False, default_height=f"{height}px")
                figures.show(plotly_words(fig), page, plotly_library)

        renderers.renderers["reploop"] = Renderer()
        if "PLOTLY_RENDERER" not in os.environ:
            renderers.renderers.default = "reploop"

    # Bokeh: `show` asks the hook of the notebook it believes to be in.

    def offer_to_bokeh(self, io: ModuleType) -> None:
        def load(*arguments: Any) -> None:
            """Each figure names what it needs."""

        def show(thing: Any, state: Any, handle: Any = None) -> None:
            self._publish(self.bokeh_bundle(thing))

        def refuse(*arguments: Any, **options: Any) -> None:
            raise RuntimeError("Bokeh applications need a server of their own: use `bokeh serve`.")

        from bokeh.io.state import curstate  # noqa: PLC0415  (the user's, if there)

        io.install_notebook_hook("jupyter", load, show, refuse, overwrite=True)
        curstate().output_notebook()

    def bokeh_bundle(self, thing: Any) -> Bundle:
        from bokeh.embed import components  # noqa: PLC0415  (the user's, if there)

        script, place = components(thing)
        return self.bundle(f"(a Bokeh {type(thing).__name__})", place + script, bokeh_library)

    # Altair: a renderer takes what Vega needs. Vega itself comes with vl-convert-python.

    def offer_to_altair(self, altair: ModuleType) -> None:
        def render(chart: Bundle, **options: Any) -> Bundle:
            words = f"(an Altair chart, {mark_of(chart)})"
            try:
                import vl_convert  # noqa: F401, PLC0415  (the user's, if there)
            except ImportError:
                hint = f"{words}: `pip install vl-convert-python` has it drawn"
                return {"text/plain": hint, "application/json": chart}
            script = f'vegaEmbed("#figure", {as_script(chart)})'
            page = f'<div id="figure" style="width:100%"></div><script>{script}</script>'
            return self.bundle(words, page, vega_library)

        altair.renderers.register("reploop", render)
        altair.renderers.enable("reploop")


def offer_figures(shell: Any) -> None:
    """Have figures shown as HTML that draws itself, whenever their libraries are imported."""

    def publish(bundle: Bundle) -> None:
        shell.display_pub.publish(data=bundle, metadata={})

    figures = Figures(publish)
    hooks = {
        "plotly.io._renderers": figures.offer_to_plotly,
        "bokeh.io": figures.offer_to_bokeh,
        "altair": figures.offer_to_altair,
    }
    sys.meta_path.insert(0, AfterImport(hooks))
    bundles = shell.display_formatter.mimebundle_formatter
    bundles.for_type_by_name("bokeh.models.layouts", "LayoutDOM", figures.bokeh_bundle)


def plotly_library() -> str:
    from plotly.offline import get_plotlyjs  # noqa: PLC0415  (the user's, if there)

    return str(get_plotlyjs())


def bokeh_library() -> str:
    from bokeh.resources import Resources  # noqa: PLC0415  (the user's, if there)

    return "\n".join(Resources(mode="inline").js_raw)


def vega_library() -> str:
    from altair.utils import _importers  # noqa: PLC0415  (the user's, if there)

    vega = _importers.import_vl_convert()
    return str(vega.javascript_bundle(vl_version=_importers.vl_version_for_vl_convert()))


def plotly_words(figure: Bundle) -> str:
    kinds = [str(trace.get("type", "scatter")) for trace in figure.get("data", ())]
    title = figure.get("layout", {}).get("title") or {}
    named = title.get("text") if isinstance(title, dict) else title
    told = f"a Plotly figure: {', '.join(dict.fromkeys(kinds)) or 'empty'}"
    return f"({told}, “{named}”)" if named else f"({told})"


def mark_of(chart: Bundle) -> str:
    mark = chart.get("mark") or "in layers"
    return str(mark.get("type") if isinstance(mark, dict) else mark)


def as_script(value: Any) -> str:
    """A value as JavaScript that no end of a script is hidden in."""
    return json.dumps(value).replace("<", "\\u003c")

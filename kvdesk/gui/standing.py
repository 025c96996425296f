"""Which result stands while the inputs have none of their own, and the words that say so."""

from typing import TYPE_CHECKING

from kvdesk.core.values import replace

if TYPE_CHECKING:
    from kvdesk.gui.view import View

NO_RESULT = "Last good result; the present input has none"


def of(view: "View") -> "View":
    """What the panels of results draw: the view itself, or the last good one, either marked where it is out of date."""
    good = view.good
    if view.derived.error is not None and good is not None and _is_of(good, view):
        option = min(view.option, len(good.session.gpus) - 1)
        return replace(good, option=max(0, option), look_up=view.look_up, display=view.display, stale=NO_RESULT)
    model = view.session.model
    if model is not None and view.sizing is not None and _asks_for_another(view):
        return replace(view, stale=f"Last good result, of {model.id.rpartition('/')[2]}")
    return view


def _is_of(good: "View", view: "View") -> bool:
    """Whether the last good result is of the same scenario and model."""
    then, now = good.session.model, view.session.model
    same = (good.workspace.active, len(good.results)) == (view.workspace.active, len(view.results))
    return same and good.sizing is not None and then is not None and now is not None and then.id == now.id


def _asks_for_another(view: "View") -> bool:
    """Whether another model was asked for and is not there: its look-up is seen to run, or has failed."""
    look_up, model = view.look_up, view.session.model
    under_way = look_up.running and look_up.visible
    return (under_way or look_up.error is not None) and model is not None and look_up.text not in (model.id, model.path)

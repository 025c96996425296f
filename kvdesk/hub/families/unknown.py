"""A model type that nobody knows: sized as a uniform decoder only where its config holds nothing but the plain keys."""

from kvdesk.core.errors import RefusalError
from kvdesk.core.findings import warning
from kvdesk.hub.config_view import BY_HAND, ConfigView
from kvdesk.hub.families import plain
from kvdesk.hub.families.common import HIDDEN, KV_HEADS, LAYERS, QUERY_HEADS, Decoder
from kvdesk.hub.leftover_keys import unused


def decoder(view: ConfigView) -> Decoder:
    """A uniform decoder, with a warning; refuses where a key speaks of anything else, or a plain key is missing."""
    missing = [keys[0] for keys in (LAYERS, QUERY_HEADS, HIDDEN) if not view.gives(*keys)]
    if missing:
        raise refusal(
            view,
            f"Its config does not say {', '.join(missing)}.",
            f"Give what is missing from the model's code, such as --set {view.prefix}{missing[0]}=32.",
        )
    if view.gives("is_encoder_decoder") and view.flag("is_encoder_decoder"):
        raise refusal(view, "It is an encoder-decoder model of an unknown kind (“is_encoder_decoder”).")
    result = plain.decoder(view)
    strange = list(unused(view, strict=True))
    if strange:
        names = ", ".join(f"“{name[:60]}”" for name in strange[:6])
        raise refusal(
            view,
            f"Its config holds keys that may change the cache: {names}.",
            "Look them up in the model's code. Take out each one that does not with "
            f"--set {strange[0][:60]}=null; where one does, this model cannot be sized yet.",
        )
    heads = "" if view.gives(*KV_HEADS) else " Without a KV head count every query head was given one."
    name = view.label[:1].upper() + view.label[1:]
    text = f"{name} is not known: sized as a uniform decoder from its plain keys.{heads}"
    view.add(warning("unknown-model-type", text, "Check layers, KV heads and head width against the model's card."))
    return result


def refusal(view: ConfigView, why: str, remedy: str = BY_HAND) -> RefusalError:
    """The refusal of an unknown architecture."""
    return RefusalError("unknown-architecture", f"{view.label[:1].upper()}{view.label[1:]} is not known.", why, remedy)

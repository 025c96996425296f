"""Signing in: where the token goes, and where it does not."""

import pytest

from kvdesk.core.errors import SourceError
from kvdesk.hub.client.settings import Settings
from kvdesk.hub.client.sign_in import sign_in


@pytest.mark.parametrize("token", ["", "hf_", "Bearer hf_abcdef", "hf_abc def", "hf_ab\ncd"])
def test_what_is_no_token_is_not_sent(token: str) -> None:
    with pytest.raises(SourceError) as caught:
        sign_in(token, settings=Settings(endpoint="https://hub.invalid"))
    assert caught.value.code == "bad-token"
    assert "abc" not in str(caught.value)


def test_no_token_goes_out_without_tls() -> None:
    with pytest.raises(SourceError) as caught:
        sign_in("hf_abcdefgh", settings=Settings(endpoint="http://hub.invalid"))
    assert caught.value.code == "not-secure"
    assert "hf_abcdefgh" not in str(caught.value)

"""What a token says of itself. It is read, not proved: whoever takes the token proves it."""

import base64
import binascii

import msgspec

_TOKEN_CHARS = 16 * 1024


class _Auth(msgspec.Struct, frozen=True):
    chatgpt_account_id: str | None = None


class Claims(msgspec.Struct, frozen=True):
    """The claims that are used: `exp` is Unix time."""

    exp: float | None = None
    auth: _Auth | None = msgspec.field(default=None, name="https://api.openai.com/auth")
    chatgpt_account_id: str | None = None


def claims_of(token: str) -> Claims | None:
    """The claims of a JSON web token, None for anything else, such as a plain key."""
    parts = token.split(".")
    if len(parts) != 3 or len(token) > _TOKEN_CHARS:
        return None
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)), type=Claims)
    except (binascii.Error, ValueError, msgspec.DecodeError):
        return None


def account_of(token: str) -> str | None:
    """The account that a token is for, as far as it can stand in a header."""
    claims = claims_of(token)
    if claims is None:
        return None
    account = (claims.auth.chatgpt_account_id if claims.auth is not None else None) or claims.chatgpt_account_id
    return account if account and account.isascii() and account.isprintable() and " " not in account else None

from __future__ import annotations

import string
import time
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.language.redact import redact_text, redact_value

# Nothing here is a credential: each is drawn, and put together when the test runs.
_RANDOM = Random(7)
LETTERS = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
URL_SAFE = LETTERS + "-_"


def drawn(alphabet: str, length: int) -> str:
    return "".join(_RANDOM.choice(alphabet) for _ in range(length))


def header(kind: str = "") -> tuple[str, str]:
    return f"-----BEGIN {kind}PRIVATE KEY-----", f"-----END {kind}PRIVATE KEY-----"


def private_key(kind: str, lines: int = 20) -> str:
    begin, end = header(kind)
    return "\n".join(
        [begin, *(drawn(LETTERS + "+/", 64) for _ in range(lines)), drawn(LETTERS, 20) + "==", end]
    )


def web_token() -> str:
    return ".".join(["eyJ" + drawn(LETTERS, 20), "eyJ" + drawn(LETTERS, 60), drawn(URL_SAFE, 43)])


CREDENTIALS = {
    "aws": ("aws_access_key", "AKIA" + drawn(UPPER, 16)),
    "azure": ("azure_storage_account_access_key", "AccountKey=" + drawn(LETTERS + "+/", 86) + "=="),
    "discord": (
        "discord_bot_token",
        f"M{drawn(LETTERS, 23)}.{drawn(LETTERS, 6)}.{drawn(LETTERS, 27)}",
    ),
    "github": ("github_token", "ghp_" + drawn(LETTERS, 36)),
    "github app": ("github_token", "ghs_" + drawn(LETTERS, 36)),
    "github fine": ("github_token", f"github_pat_{drawn(LETTERS, 22)}_{drawn(LETTERS, 59)}"),
    "gitlab": ("gitlab_token", "glpat-" + drawn(LETTERS, 20)),
    "mailchimp": ("mailchimp_access_key", drawn(LOWER, 32) + "-us12"),
    "npm": ("npm_token", "npm_" + drawn(LETTERS, 36)),
    "pypi": ("pypi_token", "pypi-AgEIcHlwaS5vcmc" + drawn(URL_SAFE, 80)),
    "sendgrid": ("sendgrid_api_key", f"SG.{drawn(URL_SAFE, 22)}.{drawn(URL_SAFE, 43)}"),
    "slack": ("slack_token", f"xoxb-{drawn('123456789', 12)}-{drawn(LETTERS, 24)}"),
    "square": ("square_oauth_secret", "sq0csp-" + drawn(URL_SAFE, 43)),
    "stripe": ("stripe_access_key", "sk_live_" + drawn(LETTERS, 24)),
    "telegram": ("telegram_bot_token", f"{drawn('123456789', 9)}:{drawn(LETTERS, 35)}"),
    "twilio": ("twilio_api_key", "AC" + drawn(LOWER, 32)),
    "openai": ("api_key", "sk-" + drawn(LETTERS, 48)),
    "openai project": ("api_key", "sk-proj-" + drawn(URL_SAFE, 120) + "a1b2"),
    "anthropic": ("api_key", "sk-ant-api03-" + drawn(URL_SAFE, 90) + "AA"),
    "deepseek": ("api_key", "sk-" + drawn("0123456789abcdef", 32)),
    "google": ("google_api_key", "AIza" + drawn(URL_SAFE, 35)),
    "hugging face": ("huggingface_token", "hf_" + drawn(LETTERS, 34)),
    "alibaba": ("alibaba_access_key", "LTAI" + drawn(LETTERS, 20)),
    "tencent": ("tencent_access_key", "AKID" + drawn(LETTERS, 32)),
    "web token": ("json_web_token", web_token()),
    "key": ("private_key", private_key("")),
    "rsa key": ("private_key", private_key("RSA ")),
    "openssh key": ("private_key", private_key("OPENSSH ")),
    "cut key": ("private_key", private_key("EC ").rsplit("\n", 2)[0]),
}
PLACES = [
    "{}",
    "my key is {} and that is it",
    "我的密钥是{}，请不要告诉别人",
    "密钥{}谢谢",
    "key={}",
    '{{"token": "{}"}}',
    "first line\n{}\nlast line",
    "Authorization: Bearer {}",
]


@pytest.mark.parametrize("name", CREDENTIALS)
@pytest.mark.parametrize("place", PLACES)
def test_a_credential_is_replaced_wherever_it_stands_and_the_rest_stays(name: str, place: str) -> None:
    kind, secret = CREDENTIALS[name]
    text, found = redact_text(place.format(secret))
    assert text == place.format(f"[secret:{kind}]")
    assert found == {kind: 1}


def test_the_password_of_an_address_goes_and_the_address_stays() -> None:
    password = drawn(LETTERS, 12)
    text, found = redact_text(f"连接postgres://anna:{password}@db.example.com:5432/app就行")
    assert text == "连接postgres://anna:[secret:basic_auth_credentials]@db.example.com:5432/app就行"
    assert found == {"basic_auth_credentials": 1}


def test_the_token_of_a_registry_goes_and_its_line_stays() -> None:
    text, _ = redact_text(f"//registry.example.com/:_authToken={drawn('0123456789abcdef', 36)}\nnext line")
    assert text == "//registry.example.com/:_authToken=[secret:npm_auth_token]\nnext line"


def test_several_at_once_are_counted_by_kind() -> None:
    chosen = [CREDENTIALS[name] for name in ("aws", "github", "github app", "web token", "rsa key")]
    text, found = redact_text("、".join(secret for _, secret in chosen))
    assert text == "、".join(f"[secret:{kind}]" for kind, _ in chosen)
    assert found == Counter(kind for kind, _ in chosen)


def test_what_is_replaced_is_not_replaced_again() -> None:
    once, _ = redact_text(" ".join(secret for _, secret in CREDENTIALS.values()))
    assert redact_text(once) == (once, Counter())


def test_every_string_inside_a_value_is_screened() -> None:
    _, secret = CREDENTIALS["openai"]
    value: Any = {"a": secret, "b": [1, {"c": f"x {secret} y"}, None, True, 2.5], "d": (secret, "plain")}
    screened, found = redact_value(value)
    assert screened == {
        "a": "[secret:api_key]",
        "b": [1, {"c": "x [secret:api_key] y"}, None, True, 2.5],
        "d": ("[secret:api_key]", "plain"),
    }
    assert found == {"api_key": 3}
    assert value["a"] == secret


ORDINARY = [
    "明天上午九点在人民公园见面，记得带上花生酱。",
    "https://example.com/watch?v=dQw4w9WgXcQ&list=PLrAXtmErZgOeiKm4sgNOknGvNjby9efdf",
    "http://user@example.com:8080/a:b@c and ftp://host/path",
    "https://zh.wikipedia.org/wiki/%E4%B8%BB%E4%BA%BA?action=edit&section=12345678901234567890",
    "the commit is 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "SHA256 E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "ISBN 978-3-16-148410-0, phone +86 138-0013-8000, card ends in 4242",
    "身份证号110101199003078888不是密钥",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "sk-learn-is-what-people-call-it-when-they-are-lazy",
    "a risk-averse-and-rather-long-winded-compound-word-2-go",
    "task-2024-01-02-write-the-annual-report-for-2023",
    "----- a line of dashes -----\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "the file begins with -----BEGIN PUBLIC KEY----- and a public key may be shown to anyone at all",
    'eyJ is how base64 of {" begins; eyJhbGciOiJub25lIn0 alone is no token',
    "C:\\Users\\anna\\AppData\\Local\\Programs\\Python\\Python311\\python.exe",
    "supercalifragilisticexpialidocious_and_some_more_of_the_same_kind",
    "loooooooooooooooooooooooooooooooooong 哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈",
    "npm_config_registry_is_a_variable_and_no_token_of_any_kind",
    "meeting at 12345678:30 or 10:45, AC adapter, SK hynix, ASIA, AKIRA",
    "[secret:api_key]",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_texts_stay(text: str) -> None:
    assert redact_text(text) == (text, Counter())


def test_what_follows_the_header_of_a_key_stays_unless_it_is_one() -> None:
    begin, _ = header("RSA ")
    text, _ = redact_text(f"a key begins with {begin} and then come many lines of base64, as everybody knows")
    assert (
        text
        == "a key begins with [secret:private_key] and then come many lines of base64, as everybody knows"
    )


@given(st.text(max_size=300))
def test_texts_without_credentials_do_not_change(text: str) -> None:
    assert redact_text(text) == (text, Counter())


SIZE = 100_000
HOSTILE = [
    "a",
    "A",
    "0",
    "/",
    "//",
    "://",
    "://a:",
    "://a:b",
    "sk-",
    "sk-a-",
    "sk-1",
    "eyJ",
    "eyJa",
    "eyJaaaaaa.",
    "-----BEGIN ",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n" + "A" * 64 + "\n",
    "PRIVATE KEY",
    "-----END ",
    "glagent-",
    "glcbt-",
    "xoxb-",
    "xoxb-1-",
    "aws",
    "aws key '",
    "AKIA",
    "npm_",
    "/:_authToken=",
    "//a/:_authToken=x",
    "1:",
    "SG.",
    "M.a",
    "AccountKey=",
    "pypi-AgEIcHlwaS5vcmc",
    "github_pat_",
    "LTAI",
    "花生",
    " ",
    "\n",
    "a1_-+/=",
]


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("start", ["", "-----BEGIN ", "eyJa", "sk-"])
def test_no_text_of_100_kb_takes_long(piece: str, start: str) -> None:
    """A bound on work, not on speed: what is quadratic in the text takes minutes."""
    text = (start + piece * SIZE)[:SIZE]
    before = time.process_time()
    redact_text(text)
    assert time.process_time() - before < 5

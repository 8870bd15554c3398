"""Failures by their class. The bodies follow what vendors document or what users report of them."""

import json
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.models.classify import fault_of_answer, fault_of_error
from limen.models.reset_time import wait_s

FIELDS = ["error", "message", "code", "type", "metadata", "details", "detail", "raw", "retry_after", "resets_at"]
NOW = 1_800_000_000.0


def judged(status, body=b"", headers=None):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return fault_of_answer(status, {"content-type": "application/json", **(headers or {})}, data, lambda: NOW)


def error(message, **fields):
    return {"error": {"message": message, **fields}}


WINDOWS = [
    (
        400,
        error(
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9010 tokens.",
            type="invalid_request_error",
            param="messages",
            code="context_length_exceeded",
        ),
    ),
    (
        400,
        {
            "error": {
                "code": 400,
                "message": "request (9010 tokens) exceeds the available context size (4096 tokens)",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 9010,
                "n_ctx": 4096,
            }
        },
    ),
    (500, error("the request exceeds the available context size. try increasing the context size or enable context shift")),
    (
        400,
        {
            "type": "error",
            "error": {"type": "invalid_request_error", "message": "prompt is too long: 208310 tokens > 200000 maximum"},
        },
    ),
    (
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "input length and `max_tokens` exceed context limit: 174167 + 64000 > 200000",
            },
        },
    ),
    (
        400,
        [
            {
                "error": {
                    "code": 400,
                    "message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
                    "status": "INVALID_ARGUMENT",
                }
            }
        ],
    ),
    (
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 16384 tokens. However, you requested 19591 tokens",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
    ),
    (
        400,
        error(
            "Please reduce the length of the messages or completion.",
            type="invalid_request_error",
            code="context_length_exceeded",
        ),
    ),
    (
        400,
        {
            "object": "error",
            "type": "invalid_request_prompt",
            "message": "Prompt contains 40960 tokens, too large for model with 32768 maximum context length",
        },
    ),
    (400, error("The decoder prompt (length 163840) is longer than the maximum model length of 131072.", code=400)),
    (400, error("length of prompt_tokens (163280) must be less than max_seq_len (32768).")),
    (400, {"error": {"code": 400, "message": "This endpoint's maximum context length is 131072 tokens."}}),
    (413, error("payload too large")),
    (429, error("Request too large for gpt-4.1 on tokens per min (TPM): Limit 30000", code="rate_limit_exceeded")),
]


@pytest.mark.parametrize(("status", "body"), WINDOWS)
def test_a_window_that_is_too_small(status, body):
    assert judged(status, body).kind == "window"


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, error("Incorrect API key provided", code="invalid_api_key"), "auth"),
        (403, error("Country, region, or territory not supported"), "auth"),
        (403, error("Your input was flagged", code=403), "filter"),
        (403, error("Insufficient credits"), "billing"),
        (400, error("API key not valid. Please pass a valid API key.", status="INVALID_ARGUMENT"), "auth"),
        (402, error("Insufficient credits. Add more using the dashboard", code=402), "billing"),
        (404, error("The model `gpt-9` does not exist", code="model_not_found"), "shape"),
        (408, b"", "network"),
        (422, {"detail": [{"loc": ["body", "messages"], "msg": "field required"}]}, "shape"),
        (400, error("Unsupported parameter: 'max_tokens'", code="unsupported_parameter"), "shape"),
        (400, error("The response was filtered due to the prompt", code="content_filter"), "filter"),
        (429, error("Rate limit reached for gpt-4.1", code="rate_limit_exceeded"), "rate"),
        (429, error("You exceeded your current quota, please check your plan", code="insufficient_quota"), "quota"),
        (429, error("The engine is currently overloaded, please try again later"), "overload"),
        (500, error("The server had an error"), "upstream"),
        (500, {"error": "model runner has stopped"}, "upstream"),
        (502, b"<html><title>502 Bad Gateway</title>", "upstream"),
        (503, error("Loading model", code=503, type="unavailable_error"), "overload"),
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "overload"),
        (418, b"teapot", "shape"),
        (400, b"", "shape"),
        (400, b"\xff\xfe not json", "shape"),
        (400, b"[" * 100_000, "shape"),
    ],
)
def test_kinds(status, body, kind):
    fault = judged(status, body)
    assert (fault.kind, fault.status) == (kind, status)
    assert fault.code == f"model.{kind}"
    assert fault.mend


@pytest.mark.parametrize("status", [200, 403, 404, 429])
def test_a_web_page_is_no_answer(status):
    page = b"<!DOCTYPE html><html><head><title>Just a moment...</title></head>"
    fault = judged(status, page, {"content-type": "text/html; charset=utf-8"})
    assert fault.kind == "page"
    assert "Just a moment..." in fault.reason


def test_a_redirect_is_not_followed_but_told():
    fault = judged(307, b"", {"location": "https://elsewhere.example/v1"})
    assert fault.kind == "shape"
    assert "https://elsewhere.example/v1" in fault.reason


def test_an_aggregator_passes_on_what_the_vendor_behind_it_said():
    body = error("Provider returned error", code=400, metadata={"raw": '{"message": "prompt is too long"}', "provider_name": "X"})
    fault = judged(400, body)
    assert fault.kind == "window"
    assert "prompt is too long" in fault.reason


def test_a_quota_with_a_near_end_is_a_rate():
    assert judged(429, error("quota exceeded"), {"retry-after": "20"}).kind == "rate"
    assert judged(429, error("quota exceeded")).kind == "quota"
    assert judged(429, error("x", code="insufficient_quota"), {"retry-after": "20"}).kind == "quota"


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        ({"code": 429, "message": "slow down"}, "rate"),
        ({"code": "503", "message": ""}, "overload"),
        ({"message": "Overloaded", "type": "overloaded_error"}, "overload"),
        ("it broke", "upstream"),
        ({}, "upstream"),
        (["?"], "upstream"),
        (17, "upstream"),
    ],
)
def test_errors_inside_an_answer(shape, kind):
    assert fault_of_error(shape).kind == kind


@given(
    st.integers(400, 599),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
        max_leaves=8,
    ),
)
def test_no_shape_of_error_breaks_the_judge(status, shape):
    assert judged(status, json.dumps(shape).encode()).status == status
    fault_of_error(shape)


@pytest.mark.parametrize(
    ("headers", "fields", "message", "seconds"),
    [
        ({"retry-after": "20"}, {}, "", 20.0),
        ({"retry-after": "0"}, {}, "", 0.0),
        ({"retry-after": "-5"}, {}, "", None),
        ({"retry-after": "nan"}, {}, "", None),
        ({"retry-after": "soon"}, {}, "", None),
        ({"retry-after-ms": "1500"}, {}, "", 1.5),
        ({"retry-after": format_datetime(datetime.fromtimestamp(NOW + 90, UTC), usegmt=True)}, {}, "", 90.0),
        ({"retry-after": format_datetime(datetime.fromtimestamp(NOW - 90, UTC), usegmt=True)}, {}, "", 0.0),
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "0"}, {}, "", 360.0),
        ({"x-ratelimit-reset-tokens": "1.5s", "x-ratelimit-remaining-tokens": "100"}, {}, "", None),
        ({"x-ratelimit-reset-requests": "120ms"}, {}, "", 0.12),
        ({"x-ratelimit-reset": str(int((NOW + 30) * 1_000))}, {}, "", 30.0),
        ({"x-ratelimit-reset": str(int(NOW + 30))}, {}, "", 30.0),
        ({}, {"retryDelay": "36s"}, "", 36.0),
        ({}, {"resets_in_seconds": 12}, "", 12.0),
        ({}, {"resets_at": "2027-01-15T08:01:00Z"}, "", 60.0),
        ({}, {}, "Please try again in 7.66s.", 7.66),
        ({}, {}, "resets in 4hr 5min", 14_700.0),
        ({}, {}, "try again in 1m30s", 90.0),
        ({}, {}, "retry after 20 seconds", 20.0),
        ({}, {}, "try again later", None),
        ({"retry-after": "99999999"}, {}, "", 14 * 86_400.0),
    ],
)
def test_when_to_come_again(headers, fields, message, seconds):
    waited = wait_s(headers, fields, message, lambda: NOW)
    assert waited == (pytest.approx(seconds) if seconds is not None else None)


@given(st.text(max_size=40))
def test_any_reset_header_is_a_span_or_nothing(value):
    waited = wait_s({"retry-after": value}, {"resets_at": value}, value, lambda: NOW)
    assert waited is None or 0 <= waited <= 14 * 86_400

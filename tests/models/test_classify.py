"""Failures by their class. The bodies follow what vendors document or what users report of them."""

import json
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

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


OVERFLOWS = [json.loads(line) for line in (Path(__file__).parent / "overflow.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("row", OVERFLOWS, ids=lambda row: row["vendor"])
@pytest.mark.parametrize("status", [400, 413, 422, 429, 500])
def test_a_full_window_in_each_vendor_s_words(row, status):
    said = {key: value for key, value in row["error"].items() if key != "code" or not isinstance(value, int)}
    for body in ({"error": said}, {"type": "error", "error": said}, [{"error": said}], said):
        assert judged(status, body).kind == "window", body
    assert fault_of_error(said).kind == "window"
    assert fault_of_error(row["error"]).kind == "window"
    assert row["source"]


def test_more_than_ten_vendors_words_are_known():
    assert len({row["vendor"].partition(",")[0] for row in OVERFLOWS}) >= 14


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (429, "Rate limit reached for tokens per day (TPD): Limit 100000, Used 99336, Requested 1200."),
        (429, "This request would exceed your organization's limit of 30,000 input tokens per minute"),
        (429, "Request rate limit: the input token count of this minute exceeds the limit of 30000"),
        (400, "'max_tokens' must be at least 1"),
        (400, "Unknown parameter: 'context_management'"),
        (401, "prompt is too long"),
        (402, "prompt is too long"),
    ],
)
def test_a_pace_and_a_parameter_are_no_full_window(status, message):
    assert judged(status, error(message)).kind != "window"


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


def test_a_validator_s_echo_of_the_conversation_is_not_read():
    complaint = {
        "type": "missing",
        "loc": ["body", "messages", 0, "role"],
        "msg": "Field required",
        "input": "429 rate limit, quota",
    }
    fault = judged(422, {"detail": [complaint]})
    assert (fault.kind, fault.reason) == ("shape", "HTTP 422: body.messages.0.role: Field required")


def test_the_day_s_quota_is_one_though_a_pause_is_named():
    violations = [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]
    details = [{"@type": "QuotaFailure", "violations": violations}, {"@type": "RetryInfo", "retryDelay": "20s"}]
    fault = judged(429, [error("You exceeded your current quota", code=429, status="RESOURCE_EXHAUSTED", details=details)])
    assert (fault.kind, fault.retry_after_s) == ("quota", None)
    minute = [{"violations": [{"quotaId": "GenerateRequestsPerMinutePerProject"}]}, details[1]]
    fault = judged(429, [error("You exceeded your current quota", code=429, details=minute)])
    assert (fault.kind, fault.retry_after_s) == ("rate", 20.0)


def test_what_an_aggregator_passes_on_of_headers_counts():
    metadata = {"headers": {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int((NOW + 40) * 1_000))}}
    fault = judged(429, error("Rate limit exceeded: free-models-per-min", metadata=metadata))
    assert (fault.kind, fault.retry_after_s) == ("rate", 40.0)


def test_figures_of_limits_beside_other_failures_ask_for_no_pause():
    limits = {
        "x-ratelimit-reset": "3600",
        "x-ratelimit-reset-tokens": "6m0s",
        "x-ratelimit-remaining-tokens": "9",
        "anthropic-ratelimit-tokens-reset": "2099-01-01T00:00:00Z",
    }
    assert judged(500, error("it broke"), limits).retry_after_s is None
    assert judged(503, error("busy"), {**limits, "retry-after": "5"}).retry_after_s == 5.0
    assert judged(429, error("slow down"), {**limits, "anthropic-ratelimit-tokens-remaining": "7"}).retry_after_s == 3_600.0


@pytest.mark.parametrize(
    ("status", "message", "wanted"),
    [
        (404, "The model `gpt-9` does not exist", "missing"),
        (404, "404 page not found", "missing"),
        (404, "No endpoints found that support tool use", "missing"),
        (400, "gpt-9 is not a valid model ID", "missing"),
        (400, "model 'x' not found", "missing"),
        (400, "'temperature' is not supported with this model", "shape"),
        (402, "Usage limit reached, try again in 5m", "rate"),
        (403, "upstream_unavailable", "upstream"),
        (500, "the authentication service is down", "upstream"),
        (400, "Invalid 'tools[0].function.name': 'check_rate_limit!'", "shape"),
    ],
)
def test_the_row_of_the_action_table(status, message, wanted):
    assert judged(status, error(message)).fault_class == wanted


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [
        ({"type": "invalid_request_error", "message": "messages: text content blocks must be non-empty"}, "shape"),
        ({"type": "authentication_error", "message": "no"}, "auth"),
        ({"type": "not_found_error", "message": "model: x"}, "missing"),
        ({"type": "rate_limit_error", "message": "no"}, "rate"),
        ({"type": "api_error", "message": "no"}, "upstream"),
        ({"code": "server_error", "message": "no"}, "upstream"),
    ],
)
def test_a_name_inside_a_stream_stands_for_its_status(shape, wanted):
    assert fault_of_error(shape).fault_class == wanted

"""How vendors word their failures: from their documentation, and from reports of what they really send."""

import re


def _any_of(*wordings: str) -> re.Pattern[str]:
    return re.compile("|".join(wordings), re.IGNORECASE | re.DOTALL)


WINDOW = _any_of(
    r"exceed_context_size|context_length_exceeded|context_exceeded|context_window_exceeded|string_above_max_length",
    r"max_prompt_tokens|maximum context length|maximum prompt length|longer than the (?:maximum model|model.s context) length",
    r"must be less than max_seq_len|greater than the context length|configured context size",
    r"context (?:length|window|size|limit)\b.{0,60}\b(?:exceed|reach|only|is)",
    r"exceeds? (?:the )?(?:available |model'?s )?(?:maximum )?(?:context|input)",
    r"exceeds? (?:the )?(?:max(?:imum)? length|limit of \d+|maximum number of tokens)|exceeded model token limit",
    r"input (?:length|tokens?(?: count)?).{0,60}exceed|range of input length|total message size",
    r"tokens in request more than max tokens|`?inputs`? tokens \+|too many tokens|token limit exceeded",
    r"(?:prompt|input)(?: is)? too long|too long to fit|reduce the length of the messages",
    r"too large for model with \d+ maximum context|request too large.{0,60}tokens",
    r"超长|长度超[过出限]|超[过出].{0,12}(?:上下文|长度|token)|上下文.{0,8}过长|输入.{0,8}过长",
)
WINDOW_ALONE = re.compile(
    r"\A(?!.*(?:per.?(?:minute|hour|day)|\bTP[MD]\b|\bRPM\b|rate.?limit|quota|too many requests))(?=.*(?:"
    + WINDOW.pattern
    + "))",
    re.IGNORECASE | re.DOTALL,
)
"""A window that is full, where no word is of a pace: with the status of a limit, a day's tokens are counted too."""
TOO_LARGE = _any_of(r"request too large", r"long context requests")
QUOTA = _any_of(
    r"insufficient_quota|exceeded your current quota|quota (?:has been )?exceeded",
    r"(?:usage|monthly|daily|hourly|weekly) limit|usage_limit|per.?day.{0,40}quota|quota.{0,80}per.?day",
)
DAILY = _any_of(r"per.?day|daily")
BILLING = _any_of(
    r"insufficient[_ ](?:credits?|balance|funds)|credit balance|out of credits|payment required|billing_not_active",
    r"credits?_required|used all available credits|spending limit|billing_hard_limit|usage_not_included|account.{0,80}suspended",
    r"(?:add|purchase) (?:more )?credits|余额不足|欠费|请充值",
)
UPSTREAM = _any_of(
    r"upstream (?:model )?provider|rate-limited upstream|upstream_(?:unavailable|error)|provider returned error",
    r"upstream.{0,40}(?:unavailable|returned|failed)",
)
OVERLOAD = _any_of(
    r"overloaded|no available (?:model )?provider|server is busy|at capacity|capacity exceeded|loading model",
    r"请求过多|服务繁忙|系统繁忙",
)
FILTER = _any_of(
    r"content_filter|content_policy|content management policy|moderation|flagged|safety system",
    r"data_inspection_failed|prohibited_content|敏感内容|不安全",
)
RATE = _any_of(r"rate.?limit|too many requests|resource.?exhausted|throttl|速率限制")
THROTTLED = _any_of(
    r"throttlingexception|too many requests|rate.?limit(?:_error|_exceeded|_reached| (?:is |was )?(?:reached|exceeded))"
)
AUTH = _any_of(r"(?:invalid|incorrect).{0,10}api.?key|api.?key not valid|unauthori[sz]ed|authentication|permission.?denied")
MISSING = _any_of(
    r"model_not_found|unknown_model|invalid_model|no endpoints found|not a valid model|model.{0,80}(?:does not|doesn.t) exist",
    r"model [`'\"]?[\w./:@-]+[`'\"]? (?:is |was )?not (?:found|supported|available)|unknown model|no such model|模型不存在",
)

"""What servers of one protocol do differently, by name. A route carries the names; wires and history act on them."""

FLAT_CONTENT = "flat_content"
"""Only strings are taken as content: leaves of one message are joined by a blank line."""

NO_STREAM = "no_stream"
"""Replies are asked for whole."""

NO_STREAM_OPTIONS = "no_stream_options"
"""`stream_options` is refused; usage may then be missing."""

MAX_COMPLETION_TOKENS = "max_completion_tokens"
"""The reply's cap is called `max_completion_tokens`, not `max_tokens`."""

REPLAY_REASONING = "replay_reasoning"
"""The model wants its own earlier reasoning back, as `reasoning_content`, which no turn of an assistant may lack."""

TOOL_IMAGES = "tool_images"
"""Pictures may stand in a tool's message; elsewhere they follow it as the user's."""

NO_IMAGES = "no_images"
"""The model has no eyes: pictures are replaced by their description."""

ALTERNATE = "alternate"
"""Two messages of one role in a row are refused, so they are sent as one."""

NO_CACHE_MARKS = "no_cache_marks"
"""Marks for the prompt cache are refused."""

CACHE_MARKS = "cache_marks"
"""Parts of a chat's messages may carry marks for the prompt cache, which some models read nothing without."""

CACHE_KEY = "cache_key"
"""Requests that begin alike may carry a key of their own, so that they reach the machine that kept their beginning."""

BEARER = "bearer"
"""The key goes as `Authorization: Bearer` where the protocol has a header of its own."""

API_KEY_HEADER = "api_key_header"
"""The key goes in the header `api-key`, as Azure takes it."""

ACCOUNT_HEADER = "account_header"
"""The account that a token names goes along in the header `chatgpt-account-id`, as the backend of Codex wants it."""

INSTRUCTIONS = "instructions"
"""The prompt goes as one string beside the input, not as its first message."""

NO_OUTPUT_LIMIT = "no_output_limit"
"""A cap on the reply is refused."""

SHORT_IDS = "short_ids"
"""A call's id is nine letters or digits."""

THOUGHT_SIGNATURES = "thought_signatures"
"""Calls without a signature of the model's own are refused; those that another model made get the documented stand-in."""

PHASES = "phases"
"""The model wants to be told which of its messages were remarks on the way and which were answers."""

ANY_SERVER = frozenset({ALTERNATE})
"""What a server that nobody knows is spoken to with: most are llama.cpp or vLLM, and many a model's template insists on it."""

ALL = frozenset(
    {
        FLAT_CONTENT, NO_STREAM, NO_STREAM_OPTIONS, MAX_COMPLETION_TOKENS, REPLAY_REASONING, TOOL_IMAGES, NO_IMAGES,
        ALTERNATE, NO_CACHE_MARKS, CACHE_MARKS, CACHE_KEY, BEARER, API_KEY_HEADER, ACCOUNT_HEADER, INSTRUCTIONS,
        NO_OUTPUT_LIMIT, PHASES, SHORT_IDS, THOUGHT_SIGNATURES,
    }
)  # fmt: skip

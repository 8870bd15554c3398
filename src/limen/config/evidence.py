"""The settings under `evidence`: when long outputs become reports, and how long the whole is kept."""

from typing import Annotated

import msgspec
from msgspec import Meta


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Long outputs of tools: the window gets a report, the shelf keeps the whole."""

    enabled: Annotated[bool, Meta(description="Whether long outputs of tools become reports.")] = True
    min_size: Annotated[
        int, Meta(ge=500, le=10_000_000, description="Characters from which on an output may become a report.")
    ] = 6_000
    max_report_chars: Annotated[
        int,
        Meta(
            ge=500,
            le=100_000,
            description="Characters of a report. The names of failing tests may make it longer, to a fifth of the output and "
            "12,000 at most.",
        ),
    ] = 3_000
    max_ratio: Annotated[
        float, Meta(gt=0, le=1, description="Share of the output that a report may be; a longer one is made again, shorter.")
    ] = 0.55
    second_ratio: Annotated[
        float, Meta(gt=0, le=1, description="Share that this second report may be; else the output stays as it is.")
    ] = 0.8
    second_report_chars: Annotated[int, Meta(ge=500, le=100_000, description="Characters of the second report.")] = 1_500
    head_lines: Annotated[int, Meta(ge=0, le=100, description="First lines of an output that a report quotes.")] = 5
    tail_lines: Annotated[int, Meta(ge=0, le=100, description="Last lines of an output that a report quotes.")] = 5
    excluded_tools: Annotated[
        tuple[str, ...], Meta(description="Tools whose outputs never become reports, besides those that Limen excludes itself.")
    ] = ()
    debug: Annotated[bool, Meta(description="Whether the log says why an output became a report or stayed as it is.")] = False
    retention_days: Annotated[int, Meta(ge=0, le=36_500, description="Days an output is kept.")] = 30
    max_store_size_mb: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Megabytes (10⁶ bytes) of outputs; the oldest go first.")
    ] = 100

    @property
    def max_bytes(self) -> int:
        """`max_store_size_mb` in bytes."""
        return self.max_store_size_mb * 1_000_000

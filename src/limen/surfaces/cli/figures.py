"""Figures as people read them: counts with their noun, sizes, moments in the reader's own time zone."""

from datetime import datetime


def counted(count: int, noun: str) -> str:
    """A count with its noun: `1 turn`, `2,000 turns`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def size(size_bytes: float) -> str:
    """A size in bytes, in the unit that reads best."""
    if size_bytes < 1_000:
        return counted(int(size_bytes), "byte")
    for unit in ("kB", "MB"):
        size_bytes /= 1_000
        if size_bytes < 1_000:
            return f"{size_bytes:.1f} {unit}"
    return f"{size_bytes / 1_000:.1f} GB"


def local_time(unix_s: float) -> str:
    """A moment, to the minute."""
    return datetime.fromtimestamp(unix_s).astimezone().strftime("%Y-%m-%d %H:%M")


def lately(unix_s: float) -> str:
    """A moment as short as it can be told: today's by the hour, this year's by the day."""
    moment, now = datetime.fromtimestamp(unix_s).astimezone(), datetime.now().astimezone()
    if moment.date() == now.date():
        return moment.strftime("%H:%M")
    return moment.strftime("%d %b") if moment.year == now.year else moment.strftime("%Y-%m-%d")

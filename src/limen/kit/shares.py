"""How a budget is shared among texts."""

from collections.abc import Sequence


def shares(sizes: Sequence[int], budget: int) -> list[int]:
    """Room for texts of these sizes within a budget: small ones have all they need, the others equal parts of what is left."""
    room = list(sizes)
    left = budget
    by_size = sorted(range(len(sizes)), key=sizes.__getitem__)
    for done, index in enumerate(by_size):
        room[index] = min(sizes[index], left // (len(by_size) - done))
        left -= room[index]
    return room

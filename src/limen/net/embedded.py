"""IPv4 addresses inside IPv6 ones: each transition form leads to the IPv4 host it embeds."""

_LOW_32 = 0xFFFF_FFFF
_LOW_64 = 0xFFFF_FFFF_FFFF_FFFF
_NAT64 = 0x0064_FF9B << 64
_LOCAL_NAT64 = 0x0064_FF9B_0001


def mapped_v4(number: int) -> int | None:
    """The IPv4 address of `::ffff:a.b.c.d` (RFC 4291), which is that address in another spelling; else None."""
    return number & _LOW_32 if number >> 32 == 0xFFFF else None


def embedded_v4(number: int) -> tuple[int, ...]:
    """The IPv4 addresses an IPv6 address may lead to, as numbers; empty for most.

    Forms: mapped and compatible (RFC 4291), translated (RFC 2765), NAT64 (RFC 6052 and 8215, address in the last 32
    bits), 6to4 (RFC 3056), Teredo server and client (RFC 4380), ISATAP (RFC 5214).
    """
    low, high = number & _LOW_32, number >> 32
    if high == 0:
        return (low,) if number > 1 else ()
    if high in (0xFFFF, 0xFFFF_0000, _NAT64) or number >> 80 == _LOCAL_NAT64:
        return (low,)
    found: tuple[int, ...] = ()
    if number >> 112 == 0x2002:
        found = ((number >> 80) & _LOW_32,)
    elif number >> 96 == 0x2001_0000:
        found = ((number >> 64) & _LOW_32, low ^ _LOW_32)
    if (high & _LOW_32) & 0xFCFF_FFFF == 0x0000_5EFE:
        found = (*found, low)
    return found


def possible_nat64_v4(number: int) -> tuple[int, ...]:
    """Where a local NAT64 address (RFC 8215) may hold its IPv4 address when the prefix is 48, 56 or 64 bits long.

    RFC 6052 section 2.2: bits 64 to 71 are skipped. Two of the three are chance, so they can only add suspicion.
    """
    if number >> 80 != _LOCAL_NAT64:
        return ()
    joined = ((number >> 64) << 56) | (number & ((1 << 56) - 1))
    return tuple((joined >> (88 - length)) & _LOW_32 for length in (48, 56, 64))

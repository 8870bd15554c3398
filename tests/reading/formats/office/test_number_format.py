"""Numbers are exact, with their format's unit, and dates are dates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.reading.formats.office.number_format import format_of, shown


@pytest.mark.parametrize(
    ("code", "said", "text"),
    [
        ("General", "0.30000000000000004", "0.3"),
        ("General", "123456789012345680000", "123456789012346000000"),
        ("General", "1e300", "1e+300"),
        ("General", "-0.5", "-0.5"),
        ("0.00", "3.14159", "3.14159"),
        ("0.00", "3", "3.00"),
        ('#,##0.00 "EUR"', "1234.5", "1234.50 EUR"),
        ("[$€-407] #,##0", "12", "€12"),
        ('"Q"0', "3", "Q3"),
        ("$#,##0.00;[Red]-$#,##0.00", "-5", "-$5.00"),
        ('0.0,,"M"', "1234567", "1234567"),
        ("0.0%", "0.12345", "12.345%"),
        ("0%", "0.07", "7%"),
        ("# ?/?", "0.5", "0.5"),
        ("yyyy-mm-dd", "46082", "2026-03-01"),
        ('dd/mm/yyyy;@"x"', "46082.75", "2026-03-01"),
        ("d mmm yyyy h:mm AM/PM", "46082.75", "2026-03-01 18:00"),
        ("h:mm:ss", "0.5000115740740741", "12:00:01"),
        ("mm:ss.0", "0.00001", "00:00:00.864"),
        ("h:mm AM/PM", "0.75", "18:00"),
        ("[h]:mm", "1.5", "36:00:00"),
        ("yyyy", "1", "1900-01-01"),
        ("yyyy", "-5", "-5"),
        ("yyyy", "99999999", "99999999"),
        ("@", "words", "words"),
        ("0", "nan", "nan"),
        ("0", "inf", "inf"),
    ],
)
def test_a_number_reads_as_people_read_it(code, said, text):
    assert shown(said, format_of(200, code)) == text


def test_formats_known_by_number_and_the_other_epoch():
    assert shown("0.5", format_of(9, None)) == "50%"
    assert shown("46082", format_of(14, None)) == "2026-03-01"
    assert shown("44620", format_of(14, None), from_1904=True) == "2026-03-01"
    assert shown("7", format_of(163, None)) == "7"


@given(st.text(max_size=40), st.floats() | st.text(max_size=12))
def test_no_format_and_no_value_break_it(code, said):
    assert isinstance(shown(str(said), format_of(200, code)), str)


@given(st.integers(min_value=-(10**14), max_value=10**14))
def test_whole_numbers_stay_exact(number):
    assert shown(str(number), format_of(0, None)) == str(number)


def test_a_code_left_open_is_read_as_far_as_codes_go():
    assert shown("1.5", format_of(200, "[$" * 50_000)) == "1.5"

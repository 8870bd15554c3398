"""Calendars and address books are lists with dates that can be read."""

from limen.reading import read

EVENT = "\r\n".join(
    [
        "BEGIN:VCALENDAR", "VERSION:2.0", "X-WR-CALNAME:Team", "BEGIN:VTIMEZONE", "TZID:Europe/Berlin", "END:VTIMEZONE",
        "BEGIN:VEVENT", "SUMMARY:Lunch\\, long", " er", "DTSTART;TZID=Europe/Berlin:20240102T120000",
        "DTEND;TZID=Europe/Berlin:20240102T130000", "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20240914",
        'ATTENDEE;CN="Ada L":mailto:ada@e.example',
        "LOCATION:Café", "DESCRIPTION:Line one\\nline two", "URL:https://e.example/l", "BEGIN:VALARM", "DESCRIPTION:no",
        "END:VALARM", "END:VEVENT", "BEGIN:VTODO", "SUMMARY:Oil", "DUE;VALUE=DATE:20240105", "END:VTODO", "END:VCALENDAR",
    ]
)  # fmt: skip


def test_events_are_told_with_their_times():
    page = read(EVENT.encode(), "team.bin", "application/octet-stream")
    assert page.text == (
        "# Team\n\n2 items.\n\n## Lunch, longer\n\n- When: 2024-01-02T12:00:00 to 2024-01-02T13:00:00 (Europe/Berlin)\n"
        "- Repeats: every 2 weeks, on MO,WE, until 2024-09-14\n- Where: Café\n- Attendees: Ada L (ada@e.example)\n- Link: <https://e.example/l>\n\n"
        "Line one  \nline two\n\n## Oil\n\n- Due: 2024-01-05"
    )
    assert (page.title, page.media_type, len(page.outline)) == ("Team", "text/calendar", 3)


def test_contacts_of_old_and_new_kinds():
    card = (
        "BEGIN:VCARD\nVERSION:2.1\nN:Lovelace;Ada;;;\nTEL;TYPE=cell,voice:+44 1\nitem1.EMAIL;TYPE=work:a@e.example\n"
        "ADR;TYPE=HOME:;;1 St;London;;N1;UK\nNOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Gr=C3=BC=\n=C3=9Fe\nEND:VCARD"
    )
    page = read(card)
    assert page.text == (
        "# Contacts\n\n1 item.\n\n## Lovelace, Ada\n\n- Phone: +44 1 (cell)\n- E-mail: a@e.example (work)\n"
        "- Address: 1 St, London, N1, UK (home)\n\nGrüße"
    )
    assert page.title == "Lovelace, Ada"


def test_broken_and_hostile_files_are_taken():
    assert read("BEGIN:VCALENDAR\nEND:VEVENT\nSUMMARY\n").text == "# Calendar\n\n0 items."
    read("BEGIN:VCARD\n" + "BEGIN:VCARD\n" * 50_000)
    read("BEGIN:VCARD\nNOTE;ENCODING=QUOTED-PRINTABLE:" + "x=\n" * 100_000)
    many = read("BEGIN:VCALENDAR\n" + "BEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT\n" * 2_500)
    assert many.notices == ("Of 2,500 items this shows the first 2,000.",)

"""Everyday words and what manuals of programs call the same thing: a question and its answer seldom share all their words."""

from collections.abc import Mapping

import msgspec

from limen.kit.words import stem, words

# Left what people say (commas between alternatives, several words stand in a row), right what documents write, likeliest first.
# A line with `~` is about words that documents use too: such a word is searched for as it is, and the others only count as well.
_TABLE = """
undo, take back, go back: revert rollback reset restore
get rid, throw away, discard: remove delete clean discard
erase, wipe: remove drop delete
empty: truncate clear
combine, squeeze, glue, put together, make one: merge squash combine concatenate
folder: directory
folders: directories
whole folder, folder with everything: recursively directory tree copy
another program, external program, other program: subprocess process
typo, misspelled: amend misspelled
overwrite: force overwrite
get back, get them back, recover, lost: recover restore lost
who changed, who last changed, who wrote: blame annotate author
slow, speed up: performance slow
remember: cache store save
password, passwords, login: credential authentication password
permission, permissions, allowed, rights: privilege grant permission
second server, spare server, another server: standby replica
takes over, take over: failover standby
keep in sync, in sync: replication synchronize
download: clone fetch retrieve
upload: push send
published, shared with others: pushed upstream published
put aside, set aside, unfinished work, half finished: stash save
leave alone: ignore exclude
does not know, not know about, unknown files: untracked
stop tracking, no longer track: untracked cached index
mark, label: tag mark
give up, call off: abort cancel timeout
after a few seconds, too long, takes too long: timeout
same time, at once, side by side, in parallel: concurrently multiple simultaneously
dictionary, dictionaries: dict mapping
get hold, get hold of: capture
goes wrong, went wrong: error fails abort
my own, of my own: user-defined custom
apart, separate: isolated separate
pass data, share data, hand over, exchange: exchange queue share
how long, how much time: time duration measure
small piece, piece of code: snippet
grammatical, word forms: stemming normalize linguistic
same columns, same structure: like
already there, already exists: conflict exists duplicate
counts up, auto: serial identity sequence
number the rows, number rows: row_number
machines, machine, computers, computer: host remote
random order: shuffle
how often, how many times: count occurrences
about to: staged
short name: alias abbreviation
zip: archive tar
wait for each other, forever: deadlock block
forget: prune remove
step through, find a mistake: debugger debug
mail, e-mail: email mail send
disk space: size disk
some of the changes, part of the changes: interactive patch hunks
upper and lower case, upper case, lower case: case-insensitive case
~ delete: remove drop
~ remove: delete drop
~ stop: cancel terminate kill abort
~ leave, quit, get out: quit exit
~ start, launch, begin: run start launch
~ run: execute invoke
~ copy, duplicate: clone copy duplicate
~ join: merge concatenate combine
~ split, cut, divide: partition split divide
~ program, app: command process
~ change, modify, edit: alter modify update edit
~ add: create append add
~ fix, correct, repair: amend correct fix
~ see, look, show: show display list view
~ fast, faster, fastest, quickly, quick: performance efficient quick
~ backup, back up: dump backup
~ restore: load restore
~ ignore, skip: ignore exclude
~ released: release
~ check, verify: verify hook test
~ wait: await wait join
~ together: concurrently simultaneously
~ string: str text
~ turn, convert, transform: convert parse deserialize decode
~ write, save: write dump save
~ position: index enumerate
~ loop over, loop, go through: iterate looping sequence
~ options, switches, flags: arguments options
~ script: command-line program
~ prints, printed, output: output stdout
~ fails, failure: error exception failure
~ nested: deep nested
~ connect: connection connect
~ big, huge, large: large
~ broke, broken: bug bad break
~ replace: substitute replace
~ value, variable: variable expression
~ list: sequence array list
~ pattern: expression regular pattern
"""


class Written(msgspec.Struct, frozen=True):
    """Words that documents have in place of an everyday one; `instead` says that it is worth searching for them in its place."""

    words: tuple[str, ...]
    instead: bool


def _parsed() -> dict[tuple[str, ...], Written]:
    table: dict[tuple[str, ...], Written] = {}
    for line in _TABLE.strip().splitlines():
        said, _, written = line.removeprefix("~").partition(":")
        for phrase in said.split(","):
            table[tuple(stem(word) for word in words(phrase))] = Written(tuple(written.split()), not line.startswith("~"))
    return table


_WRITTEN = _parsed()
_LONGEST = max(len(phrase) for phrase in _WRITTEN)


def written_for(text: str) -> Mapping[tuple[str, ...], Written]:
    """For each everyday word or phrase in `text`, as stems, the words that documents have in its place; longer phrases win."""
    stems = [stem(word) for word in words(text)]
    found: dict[tuple[str, ...], Written] = {}
    at = 0
    while at < len(stems):
        for length in range(min(_LONGEST, len(stems) - at), 0, -1):
            phrase = tuple(stems[at : at + length])
            if phrase in _WRITTEN:
                found[phrase] = _WRITTEN[phrase]
                at += length - 1
                break
        at += 1
    return found

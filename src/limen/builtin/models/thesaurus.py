"""Everyday words and what manuals of programs call the same thing: a question and its answer seldom share all their words."""

from collections.abc import Mapping, Sequence

from limen.kit.words import stem, words

# Left what people say (commas between alternatives, several words stand in a row), right what documents write, likeliest first.
_TABLE = """
undo, take back, go back: revert rollback reset restore
get rid, throw away, discard: remove delete clean discard
delete, erase, wipe: remove drop delete
remove: delete drop
empty: truncate clear
stop, interrupt: cancel terminate kill abort
leave, quit, get out: quit exit
start, launch, begin: run start launch
run, start another: execute invoke
copy, duplicate: clone copy duplicate
combine, squeeze, join, glue, put together: merge squash combine concatenate
split, cut, divide: partition split divide
pieces, chunks: partitions parts
folder: directory
folders: directories
another program, external program, other program: subprocess process
program, app: command process
change, modify, edit: alter modify update edit
add: create append add
fix, correct, repair: amend correct fix
typo, misspelled: amend misspelled
overwrite: force replace overwrite
get back, get them back, recover, lost: recover restore lost
see, look, show: show display list
who changed, who last changed, who wrote: blame annotate author
slow, fast, faster, fastest, quickly, speed up: performance efficient quick
remember: cache store save
password, passwords, login: credential authentication password
permission, permissions, allowed, rights, access: privilege grant permission
backup, back up: dump backup
restore: load restore
second server, spare server, another server: standby replica
takes over, take over: failover standby
keep in sync, in sync: replication synchronize
download: clone fetch retrieve
upload: push send
published, shared with others: pushed upstream published
put aside, set aside, unfinished work, half finished: stash save
ignore, leave alone, skip: ignore exclude
does not know, not know about, unknown files: untracked
stop tracking, no longer track: untrack cached index
mark, label: tag mark label
released: release
check, verify: verify hook test
give up, seconds, too long: timeout
wait: await wait join
same time, at once, together, in parallel, side by side: concurrently concurrent multiple simultaneously
dictionary, dictionaries: dict mapping
string: str text
turn, convert, transform: convert parse deserialize
read, load: parse load read
write, save: write dump save
position: index enumerate
loop over, go through: iterate looping sequence
options, switches, flags: arguments options
script: command-line program
prints, printed, output: output stdout
get hold, catch: capture
goes wrong, fails, failure: error exception failure
own, my own, custom: user-defined custom
apart, separate: isolated separate
pass data, share data, hand over, exchange: exchange queue share
how long, takes, take: time measure execution
small piece, piece of code: snippet
nested: deep nested
grammatical, endings, word forms: stemming normalize linguistic
same columns, same structure: like
already there, already exists: conflict exists duplicate
counts up, by itself, automatically, auto: serial identity sequence increment automatically
number the rows, number rows: row_number
machines, machine, computers, computer: host remote
connect: connection connect
big, huge, large: large
break, broke, broken: bug bad break
find out which: find locate
"""


def _parsed() -> dict[tuple[str, ...], tuple[str, ...]]:
    table: dict[tuple[str, ...], tuple[str, ...]] = {}
    for line in _TABLE.strip().splitlines():
        said, _, written = line.partition(":")
        for phrase in said.split(","):
            table[tuple(stem(word) for word in words(phrase))] = tuple(written.split())
    return table


_WRITTEN = _parsed()
_LONGEST = max(len(phrase) for phrase in _WRITTEN)


def written_for(text: str) -> Mapping[tuple[str, ...], Sequence[str]]:
    """For each everyday word or phrase in `text`, as stems, the words that documents have in its place; longer phrases win."""
    stems = [stem(word) for word in words(text)]
    found: dict[tuple[str, ...], Sequence[str]] = {}
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
